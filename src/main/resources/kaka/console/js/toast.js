import { h } from "./dom.js";

const SHOWN_MS = 6000;

/** A notice that goes by itself; of trouble it stays longer. */
export function toast(text, isBad = false) {
  const node = h("div", { class: isBad ? "toast bad" : "toast" }, text);
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), isBad ? 2 * SHOWN_MS : SHOWN_MS);
}
