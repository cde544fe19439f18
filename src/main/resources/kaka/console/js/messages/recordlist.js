import { blobView, headerOf, keyOf, preview, valueOf } from "../blob.js";
import { address, get, path } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { factsList } from "../head.js";
import { link } from "../router.js";
import { oneLine } from "../text.js";
import { toast } from "../toast.js";

const MORE_BYTES = 1_048_576;

/** Records that stay in the page at most; of a tail the oldest go. */
export const MOST_SHOWN = 1000;

/** Records as lines. A line opens into the whole record. */
export function recordList(topic) {
  const list = h("ol", { "aria-label": "Messages" });
  const names = ["Part.", "Offset", "Time", "Key", "Value", "Size"];
  const element = h(
    "div",
    { class: "records" },
    h("div", { class: "records-head", "aria-hidden": "true" }, names.map((name) => h("span", { class: name === "Offset" || name === "Size" ? "number" : null }, name))),
    list,
  );

  /** @param needle what was searched for, to be marked */
  function append(records, needle = "") {
    list.append(...records.map((record) => lineOf(topic, record, needle)));
  }

  function prepend(records, needle = "") {
    const lines = records.map((record) => lineOf(topic, record, needle));
    lines.forEach((line) => line.classList.add("is-new"));
    list.prepend(...lines.reverse());
    while (list.childElementCount > MOST_SHOWN) {
      list.lastElementChild.remove();
    }
  }

  return { element, append, prepend, clear: () => list.replaceChildren(), count: () => list.childElementCount };
}

function lineOf(topic, record, needle) {
  const id = `record-${record.partition}-${record.offset}`;
  const line = h(
    "button",
    { type: "button", class: "record-line", "aria-expanded": "false", onclick: toggle },
    h("span", { class: "of-partition" }, h("span", { class: "visually-hidden" }, "partition "), String(record.partition)),
    h("span", { class: "of-offset number" }, h("span", { class: "visually-hidden" }, "offset "), format.count(record.offset)),
    h("span", { class: "of-time muted" }, format.time(record.timestamp)),
    h("span", { class: "of-key" }, preview(keyOf(record), needle)),
    h("span", { class: "of-value" }, preview(valueOf(record), needle)),
    h("span", { class: "of-size number muted" }, record.value === null ? "–" : format.bytes(record.value_size)),
  );
  const item = h("li", { class: "record", "data-id": id }, line);
  let detail = null;

  function toggle() {
    const isOpen = detail === null;
    line.setAttribute("aria-expanded", String(isOpen));
    item.classList.toggle("is-open", isOpen);
    if (isOpen) {
      detail = detailOf(topic, record, needle);
      item.append(detail);
    } else {
      detail.remove();
      detail = null;
    }
  }

  return item;
}

/** Key, value and headers of one record, and what is known of it. */
function detailOf(topic, record, needle) {
  const of = path("topics", topic, "partitions", String(record.partition), "records", String(record.offset));
  const element = h("div", { class: "record-detail" });
  put(record);

  function put(known) {
    const here = link(["topics", topic, "messages"], { partition: known.partition, from: `offset:${known.offset}` });
    element.replaceChildren(
      blobView({ name: "Value", blob: valueOf(known), needle, more: readOn, whole: known.value === null ? null : address(`${of}/value`) }),
      blobView({ name: "Key", blob: keyOf(known), needle, more: readOn, whole: known.key === null ? null : address(`${of}/key`) }),
      headersOf(known, readOn),
      factsList([
        ["Partition", String(known.partition)],
        ["Offset", h("a", { href: here, title: "A link to this record" }, format.count(known.offset))],
        [known.timestamp_type === "append" ? "Appended at" : "Created at", `${format.time(known.timestamp)} (${known.timestamp})`],
        ["Compression", known.compression],
        ["Transactional", known.transactional ? "yes" : "no"],
      ]),
    );
  }

  async function readOn() {
    try {
      put(await get(of, { max_value: MORE_BYTES }));
    } catch (error) {
      toast(error.message, true);
    }
  }

  return element;
}

function headersOf(record, readOn) {
  if (record.headers.length === 0) {
    return h("div", { class: "blob-head" }, h("span", { class: "name" }, "Headers"), h("span", { class: "faint" }, "none"));
  }
  const rows = record.headers.map((header) => h("tr", null, h("td", null, h("code", null, oneLine(header.name))), h("td", { class: "wrap" }, preview(headerOf(header)))));
  return h(
    "div",
    null,
    h("div", { class: "blob-head" }, h("span", { class: "name" }, "Headers"), h("span", { class: "faint" }, format.count(record.headers.length) + (record.headers_cut ? " of more" : ""))),
    h("div", { class: "table-wrap" }, h("table", { "aria-label": "Headers" }, h("tbody", null, rows))),
    record.headers_cut ? h("button", { type: "button", onclick: readOn }, "Show more of them") : null,
  );
}
