import { h } from "./dom.js";

/** What stands where there is nothing to show: still loading, empty, or failed. Each says what can be done. */
export const loading = (what) => h("div", { class: "loading", role: "status" }, `Loading ${what} …`);

export const empty = (title, ...more) => h("div", { class: "empty" }, h("strong", null, title), h("div", null, more));

export function failed(error, again) {
  return h(
    "div",
    { class: "empty bad", role: "alert" },
    h("strong", null, error.status === 404 ? "Not there" : "That did not work"),
    h("div", null, error.message),
    again === undefined ? null : h("button", { type: "button", onclick: again }, "Try again"),
  );
}
