import { isWritable } from "../broker.js";
import { newTopic } from "../changes/newtopic.js";
import { whileWritable } from "../changes/writable.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { badge, head } from "../head.js";
import { anchor, listView } from "../listview.js";
import { empty } from "../states.js";

const COLUMNS = [
  { title: "Topic", sort: "name", text: (topic) => topic.name, node: (topic) => anchor(topic.name, ["topics", topic.name]), wide: true },
  { title: "Partitions", sort: "partitions", number: true, text: (topic) => format.count(topic.partitions) },
  { title: "State", text: stateOf, node: (topic) => badge(stateOf(topic), topic.failed > 0 ? "bad" : topic.opening > 0 ? "warn" : "good") },
  { title: "Records", sort: "records", number: true, lesser: true, text: (topic) => format.count(topic.records), hint: "High watermarks minus log starts" },
  { title: "Size", sort: "size", number: true, text: (topic) => format.bytes(topic.size_bytes) },
  { title: "Segments", number: true, lesser: true, text: (topic) => format.count(topic.segments) },
  { title: "Produced", sort: "produced", number: true, lesser: true, text: (topic) => format.count(topic.produced_records), hint: "Records since the broker's start" },
  { title: "Produced bytes", number: true, lesser: true, text: (topic) => format.bytes(topic.produced_bytes), hint: "Since the broker's start" },
  { title: "Fetched bytes", number: true, lesser: true, text: (topic) => format.bytes(topic.fetched_bytes), hint: "Since the broker's start" },
  { title: "Cleanup", lesser: true, text: (topic) => (topic.compacted ? "compact" : "delete") },
];

function stateOf(topic) {
  if (topic.failed > 0) {
    return `${format.count(topic.failed)} failed`;
  }
  return topic.opening > 0 ? `${format.count(topic.opening)} opening` : "open";
}

/** All topics, a page at a time. */
export function topics(route) {
  const list = listView({
    api: "/topics",
    route,
    label: "Topics",
    noun: "topics",
    columns: COLUMNS,
    key: (topic) => topic.name,
    sort: "name",
    filterHint: "Filter topics by name",
    none: () => empty("No topics yet", "A topic is there once somebody writes to it, or creates it: ", h("code", null, "kaka topic create orders --partitions 3")),
  });
  const create = whileWritable(() => h("button", { type: "button", class: "primary", onclick: newTopic }, "New topic"));
  const element = h("div", { class: "view" }, head([["Topics", ["topics"]]], create.element), list.element);
  return {
    element,
    stop() {
      create.stop();
      list.stop();
    },
  };
}
