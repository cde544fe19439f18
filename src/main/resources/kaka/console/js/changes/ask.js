import { openDialog } from "../dialog.js";
import { h, setText } from "../dom.js";
import { toast } from "../toast.js";

/**
 * A window that changes something once it is confirmed. It stays open, with the reason, where the broker refuses.
 *
 * @param confirm what the button says
 * @param typed a name that has to be typed first; null: none
 * @param act returns what is said afterwards, or throws
 */
export function ask({ title, body, confirm, isDangerous = false, typed = null, act, done = () => {} }) {
  const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
  const button = h("button", { type: "submit", class: isDangerous ? "danger" : "primary" }, confirm);
  const proof = typed === null ? null : h("input", { type: "text", "aria-label": `Type ${typed} to confirm`, autocomplete: "off", spellcheck: "false", oninput: follow });
  const form = h(
    "form",
    { class: "form", onsubmit: submit },
    body,
    typed === null ? null : h("label", { class: "field" }, h("span", { class: "name" }, "Type ", h("code", null, typed), " to confirm"), proof),
    wrong,
    h("div", { class: "row" }, h("span", { class: "grow" }), h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), button),
  );
  const dialog = openDialog({ title, body: form });
  follow();

  function follow() {
    button.disabled = typed !== null && proof.value !== typed;
  }

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    wrong.hidden = true;
    try {
      const said = await act();
      dialog.close();
      toast(said);
      done();
    } catch (error) {
      setText(wrong, error.message);
      wrong.hidden = false;
      follow();
    }
  }
}
