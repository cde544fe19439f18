import { h } from "../dom.js";
import { field } from "../changes/newtopic.js";
import { LIMITS } from "./query.js";

const FROMS = { newest: "the newest", oldest: "the oldest", offset: "an offset", time: "a time" };

/**
 * What is to be read: partition, where from, how many, key and text.
 *
 * @param wanted what it shows first
 * @param read told what is wanted now
 */
export function controls(wanted, read) {
  const [word, number = ""] = wanted.from.split(":");
  const partition = h("input", { type: "number", min: 0, step: 1, placeholder: "all", value: wanted.partition, class: "short" });
  const from = h("select", { onchange: follow }, Object.entries(FROMS).map(([value, text]) => h("option", { value, selected: value === word }, text)));
  const offset = h("input", { type: "number", min: 0, step: 1, value: word === "offset" ? number : "0" });
  const time = h("input", { type: "datetime-local", step: 1, value: localTime(word === "time" ? Number(number) : Date.now() - 3_600_000) });
  const limit = h("select", null, LIMITS.map((each) => h("option", { value: each, selected: each === wanted.limit }, each)));
  const text = h("input", { type: "search", placeholder: "in key, value or header", value: wanted.text, "data-key": "/", spellcheck: "false" });
  const key = h("input", { type: "search", placeholder: "just this key", value: wanted.key, spellcheck: "false" });
  const offsetField = field("Offset", offset);
  const timeField = field("Time", time);
  const element = h(
    "form",
    { class: "row", onsubmit: submit, role: "search", "aria-label": "Messages" },
    field("Partition", partition),
    field("From", from),
    offsetField,
    timeField,
    field("Messages", limit),
    h("div", { class: "grow" }, field("Text", text)),
    h("div", { class: "grow" }, field("Key", key)),
    h("button", { type: "submit", class: "primary" }, "Read"),
  );
  follow();

  function follow() {
    offsetField.hidden = from.value !== "offset";
    timeField.hidden = from.value !== "time";
  }

  function current() {
    const at = from.value === "offset" ? `offset:${offset.value || "0"}` : from.value === "time" ? `time:${Math.max(0, new Date(time.value).getTime() || 0)}` : from.value;
    return { partition: partition.value, from: at, limit: Number(limit.value), key: key.value, text: text.value };
  }

  function submit(event) {
    event.preventDefault();
    read(current());
  }

  return { element, current, needsPartition: () => from.value === "offset" && partition.value === "", setPartition: (value) => (partition.value = value) };
}

/** As datetime-local wants it, in the browser's time zone. */
function localTime(milliseconds) {
  const at = new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000);
  return at.toISOString().slice(0, 19);
}
