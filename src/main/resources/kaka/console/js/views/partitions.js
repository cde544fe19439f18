import { get, path } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { badge, figure } from "../head.js";
import { live } from "../live.js";
import { anchor, listView } from "../listview.js";
import { remember } from "../router.js";
import { empty } from "../states.js";

const TONES = { writable: "good", opening: "warn", failed: "bad" };
const STATES = ["writable", "opening", "failed"];

export const stateBadge = (state) => badge(state, TONES[state] ?? "");

const COLUMNS = [
  {
    title: "Partition",
    sort: "partition",
    number: true,
    text: (item) => String(item.partition),
    node: (item) => anchor(String(item.partition), ["topics", item.topic, "partitions", String(item.partition)]),
  },
  { title: "State", text: (item) => item.state, node: (item) => stateBadge(item.state) },
  { title: "Log start", number: true, lesser: true, text: (item) => format.count(item.log_start) },
  { title: "High watermark", number: true, text: (item) => format.count(item.high_watermark), hint: "One past the last acknowledged record" },
  { title: "Last stable", number: true, lesser: true, text: (item) => format.count(item.last_stable), hint: "Where readers of what is committed end" },
  { title: "Records", sort: "records", number: true, lesser: true, text: (item) => format.count(item.records) },
  { title: "Size", sort: "size", number: true, text: (item) => format.bytes(item.size_bytes) },
  { title: "Segments", number: true, lesser: true, text: (item) => format.count(item.segments) },
  { title: "Produced", sort: "produced", number: true, lesser: true, text: (item) => format.count(item.produced_records), hint: "Records since the broker's start" },
  { title: "Fetched", number: true, lesser: true, text: (item) => format.count(item.fetched_records), hint: "Records since the broker's start" },
  {
    title: "Messages",
    lesser: true,
    text: (item) => `read ${item.partition}`,
    node: (item) => anchor("read", ["topics", item.topic, "messages"], { partition: item.partition }),
  },
  { title: "Why it failed", wrap: true, lesser: true, text: (item) => item.reason },
];

/** The partitions of one topic, however many. */
export function partitionsOf(route, name) {
  let state = STATES.includes(route.query.get("state")) ? route.query.get("state") : "";
  const choice = h("select", { "aria-label": "State", onchange: onState }, h("option", { value: "" }, "every state"), STATES.map((each) => h("option", { value: each, selected: each === state }, each)));

  function onState() {
    state = choice.value;
    route.query.delete("state");
    if (state !== "") {
      route.query.set("state", state);
    }
    remember(route.path, Object.fromEntries(route.query));
    list.restart();
  }

  const list = listView({
    api: `${path("topics", name)}/partitions`,
    route,
    label: `Partitions of ${name}`,
    noun: "partitions",
    columns: COLUMNS,
    key: (item) => String(item.partition),
    sort: "partition",
    more: () => ({ state }),
    tools: [choice],
    none: () => empty("No partitions"),
    onClear() {
      choice.value = "";
      state = "";
      route.query.delete("state");
    },
  });
  const row = h("div", { class: "figures" });
  const box = h("div");
  const loop = live({
    box,
    content: row,
    what: `topic ${name}`,
    everyMs: 3000,
    load: (signal) => get(path("topics", name), {}, signal),
    show: (data) => row.replaceChildren(...figuresOf(data)),
  });
  return {
    element: h("div", { class: "view" }, box, list.element),
    stop() {
      loop.stop();
      list.stop();
    },
  };
}

function figuresOf(data) {
  const state = data.failed > 0 ? `${format.count(data.failed)} failed` : data.opening > 0 ? `${format.count(data.opening)} opening` : "all open";
  return [
    figure("Partitions", format.count(data.partitions), state, data.failed > 0 ? "bad" : null),
    figure("Records", format.count(data.records)),
    figure("Size", format.bytes(data.size_bytes), format.plural(data.segments, "segment")),
    figure("Produced", format.bytes(data.produced_bytes), `${format.count(data.produced_records)} records`),
    figure("Fetched", format.bytes(data.fetched_bytes), "since start"),
    figure("Cleanup", data.compacted ? "compact" : "delete"),
  ];
}
