import { post } from "../api.js";
import { h } from "../dom.js";
import { go } from "../router.js";
import { ask } from "./ask.js";

/** Asks for a name, and makes the topic. */
export function newTopic() {
  const name = h("input", { type: "text", required: true, maxlength: 249, pattern: "[A-Za-z0-9._\\-]+", title: "Letters, digits, dot, underscore, hyphen", spellcheck: "false", autocomplete: "off" });
  const partitions = h("input", { type: "number", min: 1, placeholder: "as configured" });
  const retention = h("input", { type: "number", min: 1, placeholder: "as configured" });
  const policy = h("select", null, h("option", { value: "" }, "as configured"), h("option", { value: "delete" }, "delete: by age and size"), h("option", { value: "compact" }, "compact: keep the newest of each key"));
  ask({
    title: "New topic",
    confirm: "Create",
    body: [
      field("Name", name),
      h("div", { class: "row" }, field("Partitions", partitions), field("Keep records for, hours", retention), field("Cleanup", policy)),
    ],
    async act() {
      const settings = {};
      if (retention.value !== "") settings["retention.ms"] = String(Number(retention.value) * 3_600_000);
      if (policy.value !== "") settings["cleanup.policy"] = policy.value;
      const body = { name: name.value, settings };
      if (partitions.value !== "") body.partitions = Number(partitions.value);
      await post("/topics", body);
      return `Topic ${name.value} is there`;
    },
    done: () => go(["topics", name.value]),
  });
  name.focus();
}

export const field = (title, control, hint = null) =>
  h("label", { class: "field" }, h("span", { class: "name" }, title), control, hint === null ? null : h("span", { class: "hint" }, hint));
