import { h, svg } from "./dom.js";
import * as format from "./format.js";

const WIDE = 1000;
const HIGH = 20;
const NARROW = 20; // lines between segments would leave nothing of narrower ones

/**
 * The segments of one log, each as wide as it is large. All logs of a page share one scale; of one that is too small to be seen at it, its
 * beginning is shown as a thin line.
 *
 * @param items from the oldest
 * @param scaleBytes what the whole width is
 */
export function drawSegments(items, scaleBytes, name) {
  const scale = WIDE / Math.max(1, scaleBytes);
  let left = 0;
  const pieces = items.map((item) => {
    const width = item.size_bytes * scale;
    const piece = svg("rect", { class: `${item.active ? "active" : "sealed"}${width < NARROW ? " narrow" : ""}`, x: left, y: 0.5, width, height: HIGH - 1 }, svg("title", null, titleOf(item)));
    left += width;
    return piece;
  });
  const total = items.reduce((sum, item) => sum + item.size_bytes, 0);
  if (total > 0) {
    pieces.push(svg("line", { class: `beginning ${items[0].active ? "active" : "sealed"}`, x1: 0, x2: 0, y1: 0.5, y2: HIGH - 0.5 }));
  }
  const label = `${name}: ${format.plural(items.length, "segment")}, ${format.bytes(total)}`;
  return svg("svg", { class: "segments", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, pieces);
}

export const segmentLegend = () =>
  h(
    "span",
    { class: "legend" },
    h("span", { class: "item" }, h("span", { class: "swatch series-1" }), "sealed"),
    h("span", { class: "item" }, h("span", { class: "swatch series-2" }), "active"),
  );

function titleOf(item) {
  const kind = `${item.active ? "active" : "sealed"}${item.compacted ? ", compacted" : ""}`;
  const newest = item.max_timestamp === null ? "" : `, newest record ${format.time(item.max_timestamp)}`;
  return `offsets ${format.count(item.base_offset)} to ${format.count(item.next_offset - 1)}, ${format.bytes(item.size_bytes)}, ${kind}${newest}`;
}
