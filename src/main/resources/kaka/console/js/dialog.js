import { h } from "./dom.js";

/**
 * A modal window. Escape and the cross close it, and the focus goes back to where it was.
 *
 * @param actions made of close: the buttons below
 */
export function openDialog({ title, body, actions = () => [], label = title }) {
  const left = new AbortController();
  const before = document.activeElement;
  const close = () => window.close();
  const window = h(
    "dialog",
    { "aria-label": label },
    h("div", { class: "title" }, h("h2", null, title), h("button", { type: "button", class: "plain square", "aria-label": "Close", onclick: close }, "✕")),
    h("div", { class: "body" }, body),
  );
  const buttons = actions(close);
  if (buttons.length > 0) {
    window.append(h("div", { class: "actions" }, buttons));
  }
  window.addEventListener("close", () => {
    left.abort();
    window.remove();
    before?.focus?.();
  });
  window.addEventListener("click", (event) => {
    if (event.target === window) close(); // beside it
  });
  addEventListener("hashchange", close, { once: true, signal: left.signal }); // another view, another matter
  document.body.append(window);
  window.showModal();
  return { close };
}
