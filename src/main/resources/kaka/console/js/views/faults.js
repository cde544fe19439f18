import { get } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { figure, head, panel } from "../head.js";
import { anchor } from "../listview.js";
import { live } from "../live.js";
import { showProblems } from "../problems.js";
import { table } from "../table.js";

/** Why, and what to do, stands above: each is one of the problems. */
const FAILED = [
  { title: "Partition", text: (item) => `${item.topic}-${item.partition}`, node: (item) => anchor(`${item.topic}-${item.partition}`, ["topics", item.topic, "partitions", String(item.partition)]) },
  { title: "Can be read", text: (item) => (item.readable ? "yes" : "no") },
  { title: "Directory", text: (item) => item.directory, node: (item) => h("code", null, item.directory), wrap: true },
];

const LAST = { title: "Last", lesser: true, text: (item) => (item.last === null ? "–" : format.time(item.last)) };
const COUNT = { title: "Count", number: true, text: (item) => format.count(item.count) };

/** What is wrong now, and whom the broker has turned away since its start. */
export function faults() {
  const fine = h("div", { class: "note good" }, h("strong", null, "Nothing is wrong"), h("span", null, "All partitions are open, nothing has failed, the disk has room."));
  const problems = h("div", { class: "notes" });
  const failedOnes = part("Failed partitions", FAILED, (item) => `${item.topic}-${item.partition}`);
  const requests = part("Refused requests", [{ title: "Reason", text: (item) => item.reason, node: (item) => h("code", null, item.reason) }, { title: "Protocol", text: (item) => item.protocol }, COUNT, LAST], (item) => `${item.protocol} ${item.reason}`);
  const batches = part("Batches that partitions refused", [{ title: "Reason", text: (item) => item.reason, node: (item) => h("code", null, item.reason) }, COUNT, LAST], (item) => item.reason);
  const limits = part("Connections ended or kept out", [{ title: "Limit", text: (item) => item.limit, node: (item) => h("code", null, item.limit) }, COUNT], (item) => item.limit);
  const row = h("div", { class: "figures" });
  const content = h(
    "div",
    { class: "view" },
    fine,
    problems,
    failedOnes.element,
    row,
    h("div", { class: "grid" }, h("div", { class: "span-6" }, requests.element), h("div", { class: "span-6" }, batches.element), h("div", { class: "span-12" }, limits.element)),
  );
  const box = h("div");
  const loop = live({
    box,
    content,
    what: "faults",
    everyMs: 3000,
    load: (signal) => get("/faults", {}, signal),
    show(data) {
      fine.hidden = data.problems.length > 0;
      showProblems(problems, data.problems);
      failedOnes.show(data.failed_partitions.items);
      failedOnes.element.hidden = data.failed_partitions.total === 0;
      requests.show(data.refused_requests);
      batches.show(data.refused_batches);
      limits.show(data.connection_limits.filter((item) => item.count > 0));
      row.replaceChildren(...figuresOf(data));
    },
  });
  return { element: h("div", { class: "view" }, head([["Faults", ["faults"]]]), box), stop: loop.stop };
}

function figuresOf(data) {
  const sum = (items) => items.reduce((total, item) => total + item.count, 0);
  const of = (name, value, more) => figure(name, format.count(value), more, value > 0 ? "warn" : null);
  return [
    figure("Failed partitions", format.count(data.failed_partitions.total), "now", data.failed_partitions.total > 0 ? "bad" : null),
    of("Refused requests", sum(data.refused_requests), "since start"),
    of("Refused batches", sum(data.refused_batches), "since start"),
    of("Memory refused", data.memory_refused, "since start"),
    of("Compactions failed", data.compactions_failed, "since start"),
  ];
}

function part(title, columns, key) {
  const rows = table({ label: title, columns, key });
  const none = h("div", { class: "panel-body muted" }, "None since the broker's start.");
  const element = panel(title, h("div", null, rows.element, none));

  function show(items) {
    rows.update(items);
    rows.element.hidden = items.length === 0;
    none.hidden = items.length > 0;
  }

  return { element, show };
}
