import { h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { go } from "./router.js";
import { toggleTheme } from "./theme.js";

const CHORD_MS = 1200;

/** After g: the view of that letter. */
const VIEWS = {
  o: ["overview", "Overview"],
  t: ["topics", "Topics"],
  g: ["groups", "Groups"],
  c: ["connections", "Connections"],
  s: ["storage", "Storage"],
  f: ["faults", "Faults"],
  e: ["settings", "Settings"],
};

const OTHERS = [
  ["/", "Filter, or search"],
  ["j  k", "Next, previous line"],
  ["Enter", "Open what has the focus"],
  ["[  ]", "Previous, next page"],
  ["u", "One level up"],
  ["l", "Light or dark"],
  ["Esc", "Close; leave a field"],
  ["?", "This help"],
];

let chordUntil = 0;

/** Shortcuts work wherever no field has the focus. */
export function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
      return;
    }
    if (isField(event.target)) {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) {
        event.target.blur();
      }
      return;
    }
    if (document.querySelector("dialog[open]") === null && press(event.key, event.timeStamp)) {
      event.preventDefault();
    }
  });
}

/** @param pressedAt when the key went down, which may be a while ago where the page is busy */
function press(key, pressedAt) {
  const isSecond = pressedAt < chordUntil;
  chordUntil = 0;
  if (isSecond && VIEWS[key] !== undefined) {
    go([VIEWS[key][0]]);
    return true;
  }
  switch (key) {
    case "g":
      chordUntil = pressedAt + CHORD_MS;
      return true;
    case "/":
      return focus(document.querySelector("main [data-key='/']"));
    case "?":
      showHelp();
      return true;
    case "l":
      toggleTheme();
      return true;
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "u":
      return click(document.querySelector(".crumbs a:last-of-type"));
    case "[":
    case "]":
      return click(document.querySelector(`main [data-key='${key}']`));
    default:
      return false;
  }
}

function focus(field) {
  field?.focus();
  field?.select?.();
  return field !== null;
}

function click(target) {
  if (target !== null && !target.disabled) {
    target.click();
  }
  return target !== null;
}

/** From one line's link, or one record, to the next. */
function step(by) {
  const stops = [...document.querySelectorAll("main tbody tr :is(a, button):first-of-type, main .record-line")].filter(
    (each, index, all) => each.matches(".record-line") || all.findIndex((other) => other.closest("tr") === each.closest("tr")) === index,
  );
  const here = document.activeElement?.closest("tr");
  const at = stops.findIndex((each) => each === document.activeElement || (here && each.closest("tr") === here));
  const next = stops[Math.min(stops.length - 1, Math.max(0, at + by))];
  next?.focus();
  return next !== undefined;
}

function isField(node) {
  return node instanceof HTMLElement && node.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

export function showHelp() {
  const line = (keys, what) => h("div", null, h("span", null, what), h("span", null, keys.split(/\s+/).map((key) => [h("kbd", null, key), " "])));
  openDialog({
    title: "Keyboard shortcuts",
    body: h(
      "div",
      { class: "shortcuts" },
      Object.entries(VIEWS).map(([key, [, title]]) => line(`g ${key}`, title)),
      OTHERS.map(([keys, what]) => line(keys, what)),
    ),
  });
}
