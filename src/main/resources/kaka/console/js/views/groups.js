import { h } from "../dom.js";
import * as format from "../format.js";
import { badge, head } from "../head.js";
import { anchor, listView } from "../listview.js";
import { remember } from "../router.js";
import { empty } from "../states.js";

const TYPES = { classic: "classic", consumer: "consumer (KIP-848)", simple: "offsets only" };

const TONES = { Stable: "good", Empty: "", Dead: "bad", unknown: "bad" };
export const groupBadge = (state) => badge(state, TONES[state] ?? "warn");

const COLUMNS = [
  { title: "Group", sort: "name", text: (item) => item.group, node: (item) => anchor(item.group, ["groups", item.group]), wide: true },
  { title: "State", sort: "state", text: (item) => item.state, node: (item) => groupBadge(item.state) },
  { title: "Type", lesser: true, text: (item) => TYPES[item.type] ?? item.type },
  { title: "Members", sort: "members", number: true, lesser: true, text: (item) => (item.members === null ? "–" : format.count(item.members)) },
  { title: "Partitions", number: true, lesser: true, text: (item) => format.count(item.partitions), hint: "With a committed offset" },
  { title: "Lag, records", sort: "lag", number: true, text: (item) => format.count(item.lag), hint: "High watermark minus committed offset, of all its partitions" },
];

/** Groups of consumers, and how far behind they are. */
export function groups(route) {
  let type = TYPES[route.query.get("type")] === undefined ? "" : route.query.get("type");
  const choice = h("select", { "aria-label": "Type", onchange: onType }, h("option", { value: "" }, "every type"), Object.entries(TYPES).map(([value, text]) => h("option", { value, selected: value === type }, text)));
  const list = listView({
    api: "/groups",
    route,
    label: "Groups",
    noun: "groups",
    columns: COLUMNS,
    key: (item) => item.group,
    sort: "name",
    filterHint: "Filter groups by name",
    tools: [choice],
    more: () => ({ type }),
    none: () => empty("No groups yet", "A group is there once somebody joins it, or commits an offset: ", h("code", null, "kaka consume orders --group readers")),
    onClear() {
      choice.value = "";
      setType("");
    },
  });

  function setType(value) {
    type = value;
    route.query.delete("type");
    if (type !== "") {
      route.query.set("type", type);
    }
    remember(route.path, Object.fromEntries(route.query));
  }

  function onType() {
    setType(choice.value);
    list.restart();
  }

  return { element: h("div", { class: "view" }, head([["Groups", ["groups"]]]), list.element), stop: list.stop };
}
