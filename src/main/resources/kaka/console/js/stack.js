import { h, svg } from "./dom.js";

const WIDE = 1000;

/**
 * Parts of a whole as one bar, to scale, with a legend.
 *
 * @param parts each { name, value }, 5 at most; what is left of the total is the rest
 * @param mark { name, at }: a line drawn across, such as a limit; null: none
 */
export function stack({ label, parts, total, mark = null, format, rest = null }) {
  const scale = total > 0 ? WIDE / total : 0;
  const pieces = [];
  let left = 0;
  parts.forEach(({ name, value }, index) => {
    const width = Math.min(value * scale, WIDE - left);
    pieces.push(svg("rect", { class: `series-${index + 1}`, x: left, y: 0, width: Math.max(0, width), height: 14 }, svg("title", null, `${name}: ${format(value)}`)));
    left += width;
  });
  const line = mark === null ? [] : [svg("rect", { class: "mark", x: Math.min(WIDE - 3, mark.at * scale), y: 0, width: 3, height: 14 })];
  const words = `${label}: ${parts.map((part) => `${part.name} ${format(part.value)}`).join(", ")}, of ${format(total)}`;
  const bar = svg(
    "svg",
    { class: "bar", viewBox: `0 0 ${WIDE} 14`, preserveAspectRatio: "none", role: "img", "aria-label": words },
    svg("rect", { class: "series-rest", x: 0, y: 0, width: WIDE, height: 14 }),
    pieces,
    line,
  );
  const items = parts.map(({ name, value }, index) =>
    h("span", { class: "item" }, h("span", { class: `swatch series-${index + 1}` }), name, h("span", { class: "value" }, format(value))),
  );
  if (rest !== null) {
    const used = parts.reduce((sum, part) => sum + part.value, 0);
    items.push(h("span", { class: "item" }, h("span", { class: "swatch series-rest" }), rest, h("span", { class: "value" }, format(Math.max(0, total - used)))));
  }
  if (mark !== null) {
    items.push(h("span", { class: "item" }, h("span", { class: "swatch limit" }), mark.name));
  }
  return h("div", { class: "notes" }, bar, h("div", { class: "legend" }, items));
}
