import { broker, isWritable, look } from "./broker.js";
import { h, setAttribute, setText } from "./dom.js";
import { clock, compact, duration } from "./format.js";
import { badge } from "./head.js";
import { icon } from "./icons.js";
import { showHelp } from "./keys.js";
import { isLost, lostSince, reach } from "./reach.js";
import { link } from "./router.js";
import { toggleTheme } from "./theme.js";

const VIEWS = [
  ["overview", "Overview"],
  ["topics", "Topics"],
  ["groups", "Groups"],
  ["connections", "Connections"],
  ["storage", "Storage"],
  ["faults", "Faults"],
  ["settings", "Settings"],
];

const counts = {};
const anchors = {};
const facts = h("span", { class: "facts wide" });
const state = h("a", { href: link(["faults"]), class: "badge", id: "state" }, "connecting");
const writes = h("span", { class: "badge bare wide", id: "writes" });
const banner = h("div", { class: "banner", role: "alert", hidden: true });
const menu = h("button", { type: "button", class: "plain square menu-button", "aria-label": "Menu", "aria-expanded": "false", onclick: () => openMenu() }, icon("menu"));

/** The header and the navigation, once; they follow what is heard of the broker. */
export function startShell() {
  const tools = [
    h("button", { type: "button", class: "plain square", "aria-label": "Light or dark", title: "Light or dark (l)", onclick: toggleTheme }, icon("theme")),
    h("button", { type: "button", class: "plain square wide", "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts (?)", onclick: showHelp }, "?"),
  ];
  const brand = h("a", { class: "brand", href: link(["overview"]) }, h("img", { src: "/console/icon.svg", alt: "", width: 22, height: 22 }), "kaka");
  document.getElementById("top").append(menu, brand, facts, h("span", { class: "spring" }), writes, state, ...tools);
  document.getElementById("top").after(banner);
  document.getElementById("nav").append(...VIEWS.map(navLink));
  document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
  broker.addEventListener("change", follow);
  broker.addEventListener("miss", follow);
  reach.addEventListener("lost", follow);
  reach.addEventListener("back", follow);
}

export function markCurrent(view) {
  openMenu(false);
  for (const [name, node] of Object.entries(anchors)) {
    setAttribute(node, "aria-current", name === view ? "page" : null);
  }
}

function navLink([name, title]) {
  counts[name] = h("span", { class: "count" });
  anchors[name] = h("a", { href: link([name]) }, icon(name), title, counts[name]);
  return anchors[name];
}

function openMenu(isOpen = menu.getAttribute("aria-expanded") === "false") {
  menu.setAttribute("aria-expanded", String(isOpen));
  document.getElementById("nav").classList.toggle("is-open", isOpen);
}

function follow() {
  document.body.classList.toggle("is-stale", isLost());
  showBanner();
  const overview = broker.overview;
  if (overview === null) {
    return;
  }
  setText(facts, `${location.host} · ${overview.version} · up ${duration(overview.uptime_seconds * 1000)}`);
  const [text, tone] = stateOf(overview);
  setText(state, text);
  state.className = `badge ${tone}`;
  setText(writes, isWritable() ? "writes on" : "read-only");
  writes.title = isWritable() ? "kaka.console.write is on: this page can change things" : "This page changes nothing: kaka.console.write is off";
  setText(counts.topics, compact(overview.topics));
  setText(counts.groups, compact(overview.groups.count));
  setText(counts.connections, compact(overview.connections.open));
  setText(counts.faults, overview.problems.length === 0 ? "" : String(overview.problems.length));
  counts.faults.className = overview.problems.length === 0 ? "count" : "count bad";
}

function stateOf(overview) {
  if (isLost()) {
    return ["not reachable", "bad"];
  }
  if (overview.phase !== "serving") {
    return [overview.phase, "warn"];
  }
  return overview.ready ? ["ready", "good"] : [overview.problems.length === 1 ? "1 problem" : `${overview.problems.length} problems`, "bad"];
}

function showBanner() {
  banner.hidden = !isLost();
  if (isLost() && banner.dataset.since !== String(lostSince())) {
    banner.dataset.since = String(lostSince());
    banner.replaceChildren(
      h("span", null, `The broker does not answer since ${clock(lostSince())}. What is shown is from before; this page goes on by itself when it is back.`),
      h("button", { type: "button", onclick: look }, "Try now"),
    );
  }
}

/** For views whose controls depend on whether writing is on. */
export const readOnlyNote = () => badge("read-only: kaka.console.write is off", "bare");
