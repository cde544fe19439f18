import { get } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { badge, head } from "../head.js";
import { live } from "../live.js";
import { remember } from "../router.js";
import { empty } from "../states.js";
import { table } from "../table.js";

const COLUMNS = [
  { title: "Setting", text: (item) => item.name, wrap: true, node: (item) => h("code", null, breakable(item.name)) },
  { title: "Value", wrap: true, text: (item) => item.value, node: (item) => h("code", null, item.value === "" ? "\"\"" : item.value) },
  { title: "From", text: (item) => item.source, node: (item) => badge(item.source, item.source === "default" ? "bare" : "bare warn") },
];

/** A long name may go on in the next line after a dot or a hyphen. */
const breakable = (name) => name.split(/(?<=[.-])/).flatMap((part) => [part, h("wbr")]);

/** The settings in force, and where each comes from. There are less than a hundred, so they are filtered here. */
export function settings(route) {
  let all = [];
  const field = h("input", { type: "search", placeholder: "Filter settings", "aria-label": "Filter settings", "data-key": "/", value: route.query.get("filter") ?? "", spellcheck: "false", oninput: show });
  const changed = h("input", { type: "checkbox", checked: route.query.get("changed") === "yes", onchange: show });
  const rows = table({ label: "Settings in force", columns: COLUMNS, key: (item) => item.name });
  const none = h("div");
  const shown = h("span", { class: "muted", role: "status" });
  const content = h("div", { class: "view" }, rows.element, none);
  const box = h("div");

  function show() {
    const wanted = field.value.trim().toLowerCase();
    const some = all.filter((item) => (!changed.checked || item.source !== "default") && `${item.name} ${item.value}`.toLowerCase().includes(wanted));
    rows.update(some);
    rows.element.hidden = some.length === 0;
    none.replaceChildren(...(some.length > 0 ? [] : [empty(changed.checked && wanted === "" ? "Everything is as it is by default" : "No settings match")]));
    shown.textContent = `${format.count(some.length)} of ${format.plural(all.length, "setting")}`;
    remember(route.path, { filter: field.value, changed: changed.checked ? "yes" : "" });
  }

  const loop = live({
    box,
    content,
    what: "settings",
    everyMs: 0,
    load: (signal) => get("/settings", {}, signal),
    show(data) {
      all = data.items;
      show();
    },
  });
  const bar = h(
    "div",
    { class: "row middle" },
    h("div", { class: "filter" }, field, h("kbd", { "aria-hidden": "true" }, "/")),
    h("label", { class: "choice" }, changed, "only what is not by default"),
    shown,
  );
  const note = h("p", { class: "muted" }, "They are set in ", h("code", null, "application.conf"), ", by flags and by the environment, and take effect with the broker's next start.");
  return { element: h("div", { class: "view" }, head([["Settings", ["settings"]]]), note, bar, box), stop: loop.stop };
}
