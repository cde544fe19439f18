import { h, setText, svg } from "./dom.js";
import { clock } from "./format.js";

const HEIGHT = 132;
const LEFT = 58;
const BOTTOM = 18;
const TOP = 6;

/** What the charts look back on, milliseconds: the shortest, of a page just opened, and the longest. */
const LEAST_WINDOW_MS = 60_000;
export const WINDOW_MS = 5 * 60_000;

/**
 * Lines over the last minutes. Pointing at it reads a moment; otherwise its legend has the newest.
 *
 * @param series each { name }, 5 at most
 * @param format a value in words
 * @param step 1000, or 1024 where values are bytes: where round numbers lie
 */
export function chart({ title, series, format, step = 1000 }) {
  const picture = svg("svg", { role: "img" });
  const values = series.map(() => h("span", { class: "value" }, "–"));
  const moment = h("span", { class: "faint" });
  const legend = series.map((each, index) =>
    h("span", { class: "item" }, h("span", { class: `swatch series-${index + 1}` }), each.name, values[index]),
  );
  const element = h(
    "section",
    { class: "panel", "aria-label": title },
    h("div", { class: "panel-head" }, h("h2", null, title), h("span", { class: "spring" }), moment),
    h("div", { class: "panel-body" }, h("div", { class: "legend" }, legend), h("div", { class: "chart" }, picture)),
  );
  let points = [];
  let pointed = null; // x of the pointer

  function update(newPoints) {
    points = newPoints;
    draw();
  }

  function draw() {
    const width = picture.clientWidth || 400;
    const now = points.length === 0 ? Date.now() : points[points.length - 1].at;
    const top = roundUp(Math.max(0, ...points.flatMap((point) => point.values.filter((value) => value !== null))), step);
    const windowMs = Math.min(WINDOW_MS, Math.max(LEAST_WINDOW_MS, now - (points[0]?.at ?? now)));
    const x = (at) => LEFT + ((at - now + windowMs) / windowMs) * (width - LEFT - 4);
    const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
    const read = pointed === null ? points[points.length - 1] : nearest(points, (point) => Math.abs(x(point.at) - pointed));
    values.forEach((node, index) => setText(node, format(read?.values[index] ?? null)));
    setText(moment, pointed !== null && read !== undefined ? clock(read.at) : "");
    picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    picture.setAttribute("aria-label", `${title}: ${series.map((each, i) => `${each.name} ${values[i].textContent}`).join(", ")}`);
    picture.replaceChildren(
      ...rules(top, format, width, y),
      ...moments(now, windowMs, width, x),
      ...(points.length < 2 ? filling(width) : []),
      ...series.flatMap((each, index) => lines(points, index, x, y, top === 0)),
      ...(pointed !== null && read !== undefined ? [svg("line", { class: "cursor", x1: x(read.at), x2: x(read.at), y1: TOP, y2: HEIGHT - BOTTOM })] : []),
    );
  }

  picture.addEventListener("pointermove", (event) => {
    pointed = event.clientX - picture.getBoundingClientRect().left;
    draw();
  });
  picture.addEventListener("pointerleave", () => {
    pointed = null;
    draw();
  });
  new ResizeObserver(draw).observe(picture);
  return { element, update };
}

function rules(top, format, width, y) {
  return [0, 0.5, 1].flatMap((part) => {
    const at = Math.round(y(top * part)) + 0.5;
    return [
      svg("line", { class: "rule", x1: LEFT, x2: width, y1: at, y2: at }),
      svg("text", { class: "axis", x: LEFT - 6, y: at + 4, "text-anchor": "end" }, format(top * part)),
    ];
  });
}

/** As many round ones as there is room for. */
function moments(now, windowMs, width, x) {
  const room = Math.max(2, Math.floor((width - LEFT) / 76));
  const stepMs = [15_000, 30_000, 60_000, 120_000].find((step) => windowMs / step < room) ?? 300_000;
  const labels = [];
  for (let back = 0; back <= windowMs; back += stepMs) {
    const left = x(now - back);
    if (back === 0 || left > LEFT + 24) {
      labels.push(svg("text", { class: "axis", x: left, y: HEIGHT - 3, "text-anchor": back === 0 ? "end" : "middle" }, labelOf(back)));
    }
  }
  return labels;
}

/** What stands where there is no line yet, for it takes two moments, and each is what has changed since the one before. */
function filling(width) {
  const middle = LEFT + (width - LEFT) / 2;
  return ["Fills while this page is open:", `a line after some seconds, ${WINDOW_MS / 60_000} minutes in all`].map((line, index) =>
    svg("text", { class: "filling", x: middle, y: TOP + 22 + 18 * index, "text-anchor": "middle" }, line),
  );
}

const labelOf = (back) => (back === 0 ? "now" : back % 60_000 === 0 ? `−${back / 60_000} min` : `−${back / 1000} s`);

/** One path for each stretch without a gap. */
function lines(points, index, x, y) {
  const stretches = [];
  let stretch = [];
  for (const point of [...points, { at: 0, values: [] }]) {
    const value = point.values[index] ?? null;
    if (value === null) {
      if (stretch.length > 0) stretches.push(stretch);
      stretch = [];
    } else {
      stretch.push([x(point.at), y(value)]);
    }
  }
  return stretches.flatMap((each) => {
    const line = each.map(([left, top], at) => `${at === 0 ? "M" : "L"}${left.toFixed(1)} ${top.toFixed(1)}`).join("");
    const area = `${line}L${each[each.length - 1][0].toFixed(1)} ${y(0)}L${each[0][0].toFixed(1)} ${y(0)}Z`;
    return [
      ...(index === 0 ? [svg("path", { class: "area series-1", d: area })] : []),
      svg("path", { class: `line series-${index + 1}`, d: line }),
    ];
  });
}

function nearest(points, distance) {
  return points.reduce((best, point) => (best === undefined || distance(point) < distance(best) ? point : best), undefined);
}

/** The next of 1, 2, 5, 10 ... in the unit that the value has. */
function roundUp(value, step) {
  if (value <= 0) {
    return 1;
  }
  let unit = 1;
  while (value / unit >= step) unit *= step;
  if (step === 1000) {
    while (value / unit < 1) unit /= step;
  }
  const rounds = step === 1024 ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  return rounds.find((each) => each * unit >= value) * unit;
}
