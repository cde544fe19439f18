import { ApiError, get, path } from "../api.js";
import { deleteRecords } from "../changes/deleterecords.js";
import { whileWritable } from "../changes/writable.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { figure, head, panel } from "../head.js";
import { listView } from "../listview.js";
import { live } from "../live.js";
import { link } from "../router.js";
import { drawSegments, segmentLegend } from "../segments.js";
import { empty } from "../states.js";
import { withCommands } from "../text.js";

const DRAWN = 1000;

const COLUMNS = [
  { title: "Base offset", number: true, text: (item) => format.count(item.base_offset) },
  { title: "Next offset", number: true, lesser: true, text: (item) => format.count(item.next_offset) },
  { title: "Offsets", number: true, lesser: true, text: (item) => format.count(item.next_offset - item.base_offset) },
  { title: "Size", number: true, text: (item) => format.bytes(item.size_bytes) },
  { title: "Kind", text: (item) => `${item.active ? "active" : "sealed"}${item.compacted ? ", compacted" : ""}` },
  { title: "Newest record", lesser: true, text: (item) => (item.max_timestamp === null ? "–" : format.time(item.max_timestamp)) },
  { title: "Indexes", number: true, lesser: true, text: (item) => (item.index_bytes === null ? "in memory" : format.bytes(item.index_bytes + (item.time_index_bytes ?? 0))) },
];

/** One partition: its offsets, and its segments drawn to scale. */
export function partition(route) {
  const [, topic, , number] = route.path;
  const of = path("topics", topic, "partitions", number);
  const row = h("div", { class: "figures" });
  const why = h("div", { class: "note bad", role: "alert", hidden: true });
  const drawing = h("div", { class: "panel-body" });
  const content = h("div", { class: "view" }, why, row, panel("Segments, to scale", drawing, segmentLegend()));
  const box = h("div");
  const below = h("div");
  let list = null; // once the log is known to be open
  let shown = null;
  const loop = live({
    box,
    content,
    what: `partition ${topic}-${number}`,
    everyMs: 4000,
    async load(signal) {
      const list = await get(`${path("topics", topic)}/partitions`, { limit: 1, offset: number, sort: "partition" }, signal);
      const item = list.items[0];
      if (item === undefined || String(item.partition) !== number) {
        throw new ApiError(404, { message: `Topic ${topic} has no partition ${number}` });
      }
      return { item, segments: item.segments === null ? null : await get(`${of}/segments`, { limit: DRAWN, order: "desc" }, signal) };
    },
    show({ item, segments }) {
      shown = item;
      changes.element.firstChild?.toggleAttribute("disabled", segments === null);
      if (segments !== null && list === null) {
        list = segmentList();
        below.replaceChildren(list.element);
      }
      row.replaceChildren(...figuresOf(item));
      why.hidden = item.state !== "failed";
      why.replaceChildren(h("strong", null, "Failed"), h("span", null, withCommands(item.reason)));
      drawing.replaceChildren(segments === null ? h("p", { class: "muted" }, "The log is not open.") : drawSegments([...segments.items].reverse(), segments.size_bytes, `${topic}-${number}`));
    },
  });
  const segmentList = () =>
    listView({
      api: `${of}/segments`,
      route,
      label: "Segments",
      noun: "segments",
      columns: COLUMNS,
      key: (item) => String(item.base_offset),
      none: () => empty("No segments"),
    });
  const changes = whileWritable(() => h("button", { type: "button", onclick: () => deleteRecords(shown, loop.refresh), disabled: shown?.segments == null }, "Delete records"));
  const read = h("a", { class: "button", href: link(["topics", topic, "messages"], { partition: number }) }, "Read messages");
  const element = h(
    "div",
    { class: "view" },
    head([["Topics", ["topics"]], [topic, ["topics", topic]], [`Partition ${number}`, []]], changes.element, read),
    box,
    below,
  );
  return {
    element,
    stop() {
      loop.stop();
      list?.stop();
      changes.stop();
    },
  };
}

function figuresOf(item) {
  return [
    figure("State", item.state, null, item.state === "failed" ? "bad" : null),
    figure("Log start", format.count(item.log_start), "first offset to read"),
    figure("High watermark", format.count(item.high_watermark), "next offset to come"),
    figure("Last stable", format.count(item.last_stable), item.last_stable === item.high_watermark ? "no open transaction" : "behind: a transaction is open"),
    figure("Size", format.bytes(item.size_bytes), format.plural(item.segments ?? 0, "segment")),
    figure("Produced", format.count(item.produced_records), "records since start"),
    figure("Fetched", format.count(item.fetched_records), "records since start"),
  ];
}
