import { get } from "../api.js";
import { broker, look } from "../broker.js";
import { chart } from "../chart.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { factsList, figure, head, panel } from "../head.js";
import { live } from "../live.js";
import { showProblems } from "../problems.js";
import { link } from "../router.js";
import { stack } from "../stack.js";
import { failed, loading } from "../states.js";
import { table } from "../table.js";

const MOST = 5;
const USES = { produce: "produces not yet on disk", fetch: "answers to fetches", groups: "groups", other: "other" };

/** How the broker is, at one look, and how the last five minutes were. */
export function overview() {
  const charts = [
    [chart({ title: "Records", series: [{ name: "in" }, { name: "out" }], format: format.perSecond }), ["produced_records", "fetched_records"]],
    [chart({ title: "Bytes", series: [{ name: "in" }, { name: "out" }], format: format.bytesPerSecond, step: 1024 }), ["produced_bytes", "fetched_bytes"]],
    [chart({ title: "Commits", series: [{ name: "write + sync" }], format: format.perSecond }), ["commits"]],
    [chart({ title: "Time from append to ack", series: [{ name: "p50" }, { name: "p99" }], format: format.duration }), ["p50", "p99"]],
  ];
  const problems = h("div", { class: "notes" });
  const row = h("div", { class: "figures" });
  const memory = h("div", { class: "panel-body" });
  const disk = h("div", { class: "panel-body" });
  const heap = h("div", { class: "panel-body" });
  const facts = h("div", { class: "panel-body" });
  const lagging = ranking("Groups furthest behind", "groups", { sort: "lag" }, "group", "lag", [
    { title: "Group", text: (item) => item.group, node: (item) => h("a", { href: link(["groups", item.group]) }, item.group), wide: true },
    { title: "Members", number: true, text: (item) => (item.members === null ? "–" : format.count(item.members)) },
    { title: "Lag, records", number: true, text: (item) => format.count(item.lag) },
  ]);
  const largest = ranking("Largest topics", "topics", { sort: "size" }, "name", "size_bytes", [
    { title: "Topic", text: (item) => item.name, node: (item) => h("a", { href: link(["topics", item.name]) }, item.name), wide: true },
    { title: "Records", number: true, text: (item) => format.count(item.records) },
    { title: "Size", number: true, text: (item) => format.bytes(item.size_bytes) },
  ]);
  const content = h(
    "div",
    { class: "view" },
    problems,
    row,
    h("div", { class: "grid" }, charts.map(([each]) => h("div", { class: "span-6" }, each.element))),
    h(
      "div",
      { class: "grid" },
      h("div", { class: "span-4" }, panel("Memory budget", memory)),
      h("div", { class: "span-4" }, panel("Disk", disk)),
      h("div", { class: "span-4" }, panel("Java heap", heap)),
    ),
    h("div", { class: "grid" }, h("div", { class: "span-6" }, lagging.element), h("div", { class: "span-6" }, largest.element)),
    panel("Broker", facts),
  );
  const box = h("div", null, loading("the overview"));
  const element = h("div", { class: "view" }, head([["Overview", ["overview"]]]), box);

  function show() {
    const now = broker.overview;
    if (now === null) {
      return;
    }
    if (box.firstChild !== content) {
      box.replaceChildren(content);
    }
    showProblems(problems, now.problems);
    row.replaceChildren(...figuresOf(now));
    charts.forEach(([each, names]) => each.update(broker.samples.points(...names)));
    memory.replaceChildren(memoryStack(now.memory));
    disk.replaceChildren(diskStack(now.disk));
    heap.replaceChildren(stack({ label: "Java heap", parts: [{ name: "used", value: now.heap.used_bytes }], total: now.heap.max_bytes, format: format.bytes, rest: "left" }));
    facts.replaceChildren(factsList(factsOf(now)));
  }

  function onMiss() {
    if (broker.overview === null) {
      box.replaceChildren(failed(new Error("The broker does not answer. This page goes on by itself when it does."), look));
    }
  }

  broker.addEventListener("change", show);
  broker.addEventListener("miss", onMiss);
  show();
  return {
    element,
    stop() {
      broker.removeEventListener("change", show);
      broker.removeEventListener("miss", onMiss);
      lagging.stop();
      largest.stop();
    },
  };
}

function figuresOf(now) {
  const latest = broker.samples.latest();
  const { partitions, groups, connections } = now;
  const failedMore = partitions.failed > 0 ? `${format.count(partitions.failed)} failed` : partitions.opening > 0 ? `${format.count(partitions.opening)} opening` : "all open";
  const waiting = connections.waiting_for_credit;
  return [
    figure("Records in", latest === null ? "–" : `${format.compact(latest.produced_records)} /s`, `${format.compact(now.totals.produced_records)} since start`),
    figure("Bytes in", latest === null ? "–" : format.bytesPerSecond(latest.produced_bytes), `${format.bytes(now.totals.produced_bytes)} since start`),
    figure("Topics", format.count(now.topics)),
    figure("Partitions", format.count(partitions.count), failedMore, partitions.failed > 0 ? "bad" : null),
    figure("Groups' lag", format.count(groups.lag), format.plural(groups.count, "group")),
    figure("Connections", format.count(connections.open), waiting > 0 ? `${format.count(waiting)} waiting for credit` : `of ${format.count(connections.max)} at most`),
    figure("Refused", format.count(now.totals.requests_refused), "requests since start", now.totals.requests_refused > 0 ? "warn" : null),
  ];
}

export function memoryStack(memory) {
  const parts = Object.entries(memory.by_use).map(([use, value]) => ({ name: USES[use] ?? use, value }));
  return stack({ label: "Memory budget", parts, total: memory.budget_bytes, format: format.bytes, rest: "free" });
}

/** The log, what else is on that disk, and what is free; below the mark produces are refused. */
export function diskStack(disk) {
  if (disk.free_bytes === null) {
    return h("p", { class: "muted" }, `${format.bytes(disk.log_bytes)} of logs. The disk does not say what is free.`);
  }
  const isKnown = typeof disk.total_bytes === "number";
  const total = isKnown ? disk.total_bytes : disk.log_bytes + disk.free_bytes;
  const others = isKnown ? [{ name: "other files, and reserved", value: Math.max(0, total - disk.free_bytes - disk.log_bytes) }] : [];
  return stack({
    label: "Disk",
    parts: [{ name: "logs", value: disk.log_bytes }, ...others],
    total,
    mark: { name: `less than ${format.bytes(disk.min_free_bytes)} free: produces are refused`, at: total - disk.min_free_bytes },
    format: format.bytes,
    rest: "free",
  });
}

const factsOf = (now) => [
  ["Version", now.version],
  ["Java", now.java],
  ["Process", String(now.pid)],
  ["Started", format.time(now.started)],
  ["Up", format.duration(now.uptime_seconds * 1000)],
  ["Durability", now.durability],
  ["Data directory", now.directory === "" ? "in memory" : now.directory],
  ["Broker id", h("code", null, now.broker_id)],
  ["Requests in flight", `${format.count(now.connections.requests_in_flight)}, ${format.bytes(now.connections.bytes_in_flight)}`],
  ["Credit waits", format.count(now.totals.credit_waits)],
  ["Memory refused", format.count(now.memory.refused)],
  ["Open files", `${format.count(now.files.open)} of ${format.count(now.files.max)}`],
];

/** The first few of a list, where there are any with more than nothing. */
function ranking(title, list, query, key, amount, columns) {
  const rows = table({ label: title, columns, key: (item) => item[key] });
  const none = h("div", { class: "panel-body muted" }, "None.");
  const content = h("div", null, rows.element, none);
  const box = h("div");
  const loop = live({
    box,
    content,
    what: title.toLowerCase(),
    everyMs: 5000,
    load: (signal) => get(`/${list}`, { ...query, order: "desc", limit: MOST }, signal),
    show(page) {
      const some = page.items.filter((item) => item[amount] > 0);
      rows.update(some);
      rows.element.hidden = some.length === 0;
      none.hidden = some.length > 0;
    },
  });
  const all = h("a", { href: link([list], { sort: query.sort, order: "desc" }) }, "all");
  const element = panel(title, box, all);
  return { element, stop: loop.stop };
}
