import { get, patch, path, post, remove } from "../api.js";
import { ask } from "../changes/ask.js";
import { field } from "../changes/newtopic.js";
import { whileWritable } from "../changes/writable.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { badge } from "../head.js";
import { live } from "../live.js";
import { go } from "../router.js";
import { table } from "../table.js";

/** What the topic is set to, and where that comes from. */
export function topicSettings(route, name) {
  let partitionCount = 1;
  const rows = table({
    label: `Settings of ${name}`,
    key: (setting) => setting.name,
    columns: [
      { title: "Setting", text: (setting) => setting.name, node: (setting) => h("code", null, setting.name) },
      { title: "Value", text: (setting) => setting.value, node: (setting) => h("span", null, h("code", null, setting.value), " ", h("span", { class: "faint" }, meaning(setting))), wrap: true },
      { title: "From", lesser: true, text: (setting) => setting.source, node: (setting) => (setting.source === "topic" ? badge("this topic", "bare warn") : badge(setting.source, "bare")) },
    ],
  });
  const notice = h("p", { class: "muted" });
  const content = h("div", { class: "view" }, rows.element, notice);
  const box = h("div");
  const loop = live({
    box,
    content,
    what: "settings",
    everyMs: 5000,
    load: (signal) => get(path("topics", name), {}, signal),
    show(data) {
      partitionCount = data.partitions;
      rows.update(data.settings);
      notice.textContent = data.notice;
      notice.hidden = data.notice === "";
    },
  });
  const changes = whileWritable(() => [
    h("button", { type: "button", onclick: () => changeSetting(name, loop.refresh) }, "Change a setting"),
    h("button", { type: "button", onclick: () => addPartitions(name, partitionCount, loop.refresh) }, "Add partitions"),
    h("button", { type: "button", onclick: () => deleteTopic(name) }, "Delete topic"),
  ]);
  return {
    element: h("div", { class: "view" }, changes.element, box),
    stop() {
      loop.stop();
      changes.stop();
    },
  };
}

/** Milliseconds and bytes in words. */
function meaning({ name, value }) {
  const number = Number(value);
  if (value === "" || !Number.isFinite(number) || number <= 0) {
    return number === -1 ? "no limit" : "";
  }
  return name.endsWith(".ms") ? format.duration(number) : name.endsWith("bytes") ? format.bytes(number) : "";
}

function changeSetting(name, done) {
  const setting = h("input", { type: "text", required: true, placeholder: "retention.ms", spellcheck: "false", autocomplete: "off" });
  const value = h("input", { type: "text", placeholder: "empty: back to the default", spellcheck: "false", autocomplete: "off" });
  ask({
    title: `Change a setting of ${name}`,
    body: h("div", { class: "row" }, field("Setting", setting), field("Value", value)),
    confirm: "Change",
    async act() {
      await patch(path("topics", name), { settings: { [setting.value.trim()]: value.value === "" ? null : value.value } });
      return `${setting.value.trim()} is changed`;
    },
    done,
  });
}

function addPartitions(name, count, done) {
  const total = h("input", { type: "number", min: count + 1, value: count + 1, required: true });
  ask({
    title: `Add partitions to ${name}`,
    body: [field(`Partitions in all (now ${format.count(count)})`, total), h("p", { class: "muted" }, "There is no way back. Keys go to other partitions than before.")],
    confirm: "Add",
    async act() {
      await post(`${path("topics", name)}/partitions`, { count: Number(total.value) });
      return `${name} has ${format.count(Number(total.value))} partitions`;
    },
    done,
  });
}

function deleteTopic(name) {
  ask({
    title: `Delete topic ${name}?`,
    body: h("p", null, "All of its records, and the offsets that groups have committed in it, are gone for good."),
    confirm: "Delete topic",
    isDangerous: true,
    typed: name,
    async act() {
      await remove(path("topics", name));
      return `Topic ${name} is deleted`;
    },
    done: () => go(["topics"]),
  });
}
