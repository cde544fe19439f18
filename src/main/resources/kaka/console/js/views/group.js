import { get, path, remove } from "../api.js";
import { ask } from "../changes/ask.js";
import { resetOffsets } from "../changes/reset.js";
import { whileWritable } from "../changes/writable.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { figure, head, panel } from "../head.js";
import { anchor, PAGE } from "../listview.js";
import { live } from "../live.js";
import { pager } from "../pager.js";
import { go, remember } from "../router.js";
import { table } from "../table.js";

const MEMBERS = [
  { title: "Client", text: (member) => member.client_id, wide: true },
  { title: "Host", text: (member) => member.host },
  { title: "Member", lesser: true, text: (member) => member.member_id, node: (member) => h("code", null, member.member_id), wide: true },
  { title: "Static id", lesser: true, text: (member) => member.instance_id ?? "–" },
  { title: "Epoch", number: true, lesser: true, text: (member) => (member.epoch === null ? "–" : format.count(member.epoch)) },
  { title: "Partitions", wrap: true, text: (member) => assignmentOf(member) },
];

const OFFSETS = [
  { title: "Topic", text: (item) => item.topic, node: (item) => anchor(item.topic, ["topics", item.topic]), wide: true },
  { title: "Partition", number: true, text: (item) => String(item.partition), node: (item) => anchor(String(item.partition), ["topics", item.topic, "partitions", String(item.partition)]) },
  { title: "Committed", number: true, text: (item) => format.count(item.committed) },
  { title: "End", number: true, lesser: true, text: (item) => format.count(item.end), hint: "High watermark: one past the last acknowledged record" },
  { title: "Lag", number: true, text: (item) => format.count(item.lag) },
  { title: "Committed at", lesser: true, text: (item) => (item.committed_at === null ? "–" : format.time(item.committed_at)) },
  { title: "Member", lesser: true, wide: true, text: (item) => item.member_id ?? "–", node: (item) => ((item.member_id ?? null) === null ? h("span", null, "–") : h("code", null, item.member_id)) },
  { title: "Metadata", lesser: true, wide: true, text: (item) => item.metadata },
];

/** One group: its members, what each has, and how far each partition is. */
export function group(route) {
  const name = route.path[1];
  let first = Number.parseInt(route.query.get("offset") ?? "0", 10) || 0;
  let shown = null;
  const row = h("div", { class: "figures" });
  const members = table({ label: "Members", columns: MEMBERS, key: (member) => member.member_id });
  const noMembers = h("div", { class: "panel-body muted" }, "No members: nobody reads in this group now.");
  const offsets = table({ label: "Offsets", columns: OFFSETS, key: (item) => `${item.topic}-${item.partition}` });
  const noOffsets = h("div", { class: "panel-body muted" }, "No committed offsets.");
  const pages = pager({ size: PAGE, noun: "partitions", turn: onTurn });
  const content = h(
    "div",
    { class: "view" },
    row,
    panel("Members", h("div", null, noMembers, members.element)),
    panel("Offsets", h("div", null, noOffsets, offsets.element)),
    pages.element,
  );
  const box = h("div");
  const loop = live({
    box,
    content,
    what: `group ${name}`,
    everyMs: 2000,
    load: (signal) => get(path("groups", name), { limit: PAGE, offset: first }, signal),
    show(data) {
      shown = data;
      row.replaceChildren(...figuresOf(data));
      members.update(data.members);
      members.element.hidden = data.members.length === 0;
      noMembers.hidden = data.members.length > 0;
      offsets.update(data.items);
      offsets.element.hidden = data.items.length === 0;
      noOffsets.hidden = data.items.length > 0;
      pages.update(data.offset, data.total);
    },
  });
  const changes = whileWritable(() => [
    h("button", { type: "button", onclick: () => resetOffsets(name, shown, loop.refresh) }, "Reset offsets"),
    h("button", { type: "button", onclick: () => deleteGroup(name) }, "Delete group"),
  ]);

  function onTurn(next) {
    first = next;
    remember(route.path, { offset: first === 0 ? "" : first });
    loop.refresh();
  }

  return {
    element: h("div", { class: "view" }, head([["Groups", ["groups"]], [name, []]], changes.element), box),
    stop() {
      loop.stop();
      changes.stop();
    },
  };
}

/** orders 0–2, 5; logs 1 */
function assignmentOf(member) {
  return member.partitions.length === 0 ? "none" : member.partitions.map((each) => `${each.topic} ${ranges(each.partitions)}`).join("; ");
}

function ranges(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts = [];
  for (const number of sorted) {
    const last = parts[parts.length - 1];
    if (last !== undefined && last[1] === number - 1) {
      last[1] = number;
    } else {
      parts.push([number, number]);
    }
  }
  return parts.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ");
}

function figuresOf(data) {
  return [
    figure("State", data.state, data.type),
    figure("Members", format.count(data.members.length)),
    figure("Lag", format.count(data.total_lag), "records, of all its partitions", data.total_lag > 0 ? "warn" : null),
    figure("Partitions", format.count(data.total), "with a committed offset, or assigned"),
    figure(data.type === "consumer" ? "Epoch" : "Generation", format.count(data.generation)),
    figure("Assignor", data.assignor || "–"),
  ];
}

function deleteGroup(name) {
  ask({
    title: `Delete group ${name}?`,
    body: h("p", null, "Its committed offsets are gone for good. Consumers that come back begin where they are told to begin without any."),
    confirm: "Delete group",
    isDangerous: true,
    typed: name,
    async act() {
      await remove(path("groups", name));
      return `Group ${name} is deleted`;
    },
    done: () => go(["groups"]),
  });
}
