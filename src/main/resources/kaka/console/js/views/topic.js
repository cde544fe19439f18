import { whileWritable } from "../changes/writable.js";
import { h, setAttribute } from "../dom.js";
import { head } from "../head.js";
import { link } from "../router.js";
import { messages } from "../messages/messages.js";
import { partitionsOf } from "./partitions.js";
import { produce } from "./produce.js";
import { topicSettings } from "./topicsettings.js";

const TABS = {
  partitions: ["Partitions", partitionsOf],
  messages: ["Messages", messages],
  produce: ["Produce", produce],
  settings: ["Settings", topicSettings],
};

/** One topic, by one of its tabs. */
export function topic(route) {
  const [, name, chosen = "partitions"] = route.path;
  const tab = TABS[chosen] === undefined ? "partitions" : chosen;
  const below = TABS[tab][1](route, name);
  const makeTab = (key) => h("a", { href: link(key === "partitions" ? ["topics", name] : ["topics", name, key]), "aria-current": key === tab ? "page" : null }, TABS[key][0]);
  const produceTab = whileWritable(() => [makeTab("produce")]);
  setAttribute(produceTab.element, "class", "");
  const tabs = h("nav", { class: "tabs", "aria-label": `Of topic ${name}` }, makeTab("partitions"), makeTab("messages"), produceTab.element, makeTab("settings"));
  const element = h("div", { class: "view" }, head([["Topics", ["topics"]], [name, ["topics", name]]]), tabs, below.element);
  return {
    element,
    stop() {
      below.stop();
      produceTab.stop();
    },
  };
}
