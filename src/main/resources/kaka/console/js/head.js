import { h } from "./dom.js";
import { link } from "./router.js";

/**
 * The line above a view: where it is, and what can be done.
 *
 * @param steps each [title, path], from the top; the last is the view itself
 */
export function head(steps, ...tools) {
  const above = steps.slice(0, -1).flatMap(([title, path]) => [h("a", { href: link(path) }, title), h("span", { class: "step", "aria-hidden": "true" }, "/")]);
  const here = steps[steps.length - 1][0];
  document.title = `${steps.map(([title]) => title).reverse().join(" · ")} · kaka`;
  return h("div", { class: "head" }, h("div", { class: "crumbs" }, above, h("h1", null, here)), h("span", { class: "spring" }), tools);
}

/** A number with its name, for a row of them. */
export function figure(name, value, more = null, tone = null) {
  const [amount, unit] = splitUnit(value);
  return h(
    "div",
    { class: tone === null ? "figure" : `figure ${tone}` },
    h("div", { class: "name" }, name),
    h("div", { class: "value" }, amount, unit === "" ? null : [" ", h("span", { class: "unit" }, unit)]),
    more === null ? null : h("div", { class: "more" }, more),
  );
}

/** "1.2 MiB/s" has a number and a unit, "3 min 20 s" is a whole. */
function splitUnit(value) {
  const parts = String(value).split(" ");
  return parts.length === 2 && /^[−-]?[\d.,]+[kMGT]?$/.test(parts[0]) ? parts : [String(value), ""];
}

export const figures = (...all) => h("div", { class: "figures" }, all);

export const badge = (text, tone = "") => h("span", { class: `badge ${tone}`.trim() }, text);

/** @param facts each [name, value]; a value may be a node */
export const factsList = (facts) => h("dl", { class: "facts-list" }, facts.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));

export const panel = (title, body, aside = null) =>
  h("section", { class: "panel", "aria-label": title }, h("div", { class: "panel-head" }, h("h2", null, title), h("span", { class: "spring" }), aside), body);
