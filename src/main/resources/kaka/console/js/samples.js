import { WINDOW_MS } from "./chart.js";

/**
 * Rates of the last minutes, from totals that only grow. A total that has become smaller means that the broker was started anew:
 * then there is a gap.
 */
export class Samples {
  #last = null;
  #points = [];

  /** @param overview an answer of /api/v1/overview */
  add(overview) {
    const last = this.#last;
    this.#last = overview;
    if (last === null || overview.now <= last.now) {
      return;
    }
    const isAnew = overview.started !== last.started || Object.keys(overview.totals).some((name) => overview.totals[name] < last.totals[name]);
    this.#points.push(isAnew ? { at: overview.now, isGap: true } : this.#between(last, overview));
    const oldest = overview.now - WINDOW_MS;
    this.#points = this.#points.filter((point) => point.at >= oldest);
  }

  /** Nothing was heard for a while. */
  addGap() {
    if (this.#last !== null) {
      this.#points.push({ at: Date.now(), isGap: true });
      this.#last = null;
    }
  }

  #between(last, next) {
    const seconds = (next.now - last.now) / 1000;
    const counts = next.commit_latency.counts.map((count, index) => count - (last.commit_latency.counts[index] ?? 0));
    const point = { at: next.now, isGap: false };
    for (const name of Object.keys(next.totals)) {
      point[name] = (next.totals[name] - last.totals[name]) / seconds;
    }
    point.p50 = quantile(next.commit_latency.bounds_seconds, counts, 0.5);
    point.p99 = quantile(next.commit_latency.bounds_seconds, counts, 0.99);
    return point;
  }

  /** For a chart. */
  points(...names) {
    return this.#points.map((point) => ({ at: point.at, values: names.map((name) => (point.isGap ? null : point[name])) }));
  }

  latest() {
    const point = this.#points[this.#points.length - 1];
    return point === undefined || point.isGap ? null : point;
  }
}

/**
 * Milliseconds below which that part of the counts lies, as if each bucket were filled evenly; null where nothing was counted.
 *
 * @param bounds upper ones, seconds, ascending
 * @param counts one more than bounds
 */
export function quantile(bounds, counts, part) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) {
    return null;
  }
  let left = total * part;
  for (let at = 0; at < counts.length; at++) {
    if (counts[at] >= left && counts[at] > 0) {
      const low = at === 0 ? 0 : bounds[at - 1];
      const high = at < bounds.length ? bounds[at] : low;
      return 1000 * (low + (high - low) * (left / counts[at]));
    }
    left -= counts[at];
  }
  return 1000 * bounds[bounds.length - 1];
}
