import { path, post } from "../api.js";
import { openDialog } from "../dialog.js";
import { h, setText } from "../dom.js";
import * as format from "../format.js";
import { table } from "../table.js";
import { toast } from "../toast.js";
import { field } from "./newtopic.js";

const TO = { earliest: "the oldest record", latest: "the end", offset: "an offset", time: "a time", shift: "back or forward by" };

const COLUMNS = [
  { title: "Partition", text: (move) => `${move.topic} ${move.partition}`, wide: true },
  { title: "From", number: true, text: (move) => format.count(move.from) },
  { title: "To", number: true, text: (move) => format.count(move.to) },
  { title: "Reads again", number: true, text: (move) => changeOf(move, -1) },
  { title: "Leaves out", number: true, text: (move) => changeOf(move, 1) },
];

function changeOf(move, sign) {
  const change = move.from === null ? 0 : (move.to - move.from) * sign;
  return change > 0 ? format.count(change) : "–";
}

/**
 * Where a group goes on reading. Nothing is done before it was seen what would be: first a preview, then a confirmation.
 *
 * @param data what the group's view has shown last, or null
 */
export function resetOffsets(group, data, done) {
  const topics = [...new Set((data?.items ?? []).map((item) => item.topic))];
  const topic = h("select", null, h("option", { value: "" }, "all topics"), topics.map((name) => h("option", { value: name }, name)));
  const partitions = h("input", { type: "text", placeholder: "all", pattern: "\\s*\\d+(\\s*,\\s*\\d+)*\\s*", title: "Numbers with commas between" });
  const to = h("select", { onchange: follow }, Object.entries(TO).map(([value, text]) => h("option", { value }, text)));
  const number = h("input", { type: "number", step: 1, value: 0, "aria-label": "Offset or records" });
  const time = h("input", { type: "datetime-local", step: 1, "aria-label": "Time" });
  const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
  const moves = table({ label: "What would change", columns: COLUMNS, key: (move) => `${move.topic}-${move.partition}` });
  const preview = h("div", { class: "form", role: "status", hidden: true }, h("p", { class: "muted" }), moves.element);
  const confirm = h("button", { type: "button", class: "danger", onclick: apply, disabled: true }, "Reset offsets");
  const form = h(
    "form",
    { class: "form", onsubmit: look, oninput: changed },
    h("div", { class: "row" }, field("Topic", topic), field("Partitions", partitions)),
    h("div", { class: "row" }, field("Go on from", to), number, time, h("button", { type: "submit" }, "Preview")),
    wrong,
    preview,
  );
  const dialog = openDialog({
    title: `Reset offsets of ${group}`,
    body: form,
    actions: (close) => [h("button", { type: "button", onclick: close }, "Cancel"), confirm],
  });
  follow();

  function follow() {
    number.hidden = !["offset", "shift"].includes(to.value);
    time.hidden = to.value !== "time";
    partitions.disabled = topic.value === "" && topics.length !== 1;
  }

  /** What was previewed is not what stands there any more. */
  function changed() {
    follow();
    confirm.disabled = true;
    preview.hidden = true;
  }

  function wanted(isDry) {
    const body = { to: targetOf(), dry_run: isDry };
    if (topic.value !== "") {
      body.topics = [topic.value];
    }
    if (!partitions.disabled && partitions.value.trim() !== "") {
      body.topics = [topic.value === "" ? topics[0] : topic.value];
      body.partitions = partitions.value.split(",").map(Number);
    }
    return body;
  }

  function targetOf() {
    switch (to.value) {
      case "offset":
        return { offset: Number(number.value) };
      case "shift":
        return { shift: Number(number.value) };
      case "time":
        return { time: new Date(time.value).getTime() || 0 };
      default:
        return to.value;
    }
  }

  async function look(event) {
    event.preventDefault();
    await run(async () => {
      const answer = await post(`${path("groups", group)}/reset`, wanted(true));
      const changes = answer.moves.filter((move) => move.from !== move.to);
      setText(preview.firstChild, changes.length === 0 ? "Nothing would change." : `${format.plural(changes.length, "partition")} would change. Nothing is changed yet.`);
      moves.update(answer.moves);
      preview.hidden = false;
      confirm.disabled = changes.length === 0;
      setText(confirm, changes.length === 0 ? "Reset offsets" : `Reset ${format.plural(changes.length, "partition")}`);
    });
  }

  async function apply() {
    await run(async () => {
      const answer = await post(`${path("groups", group)}/reset`, wanted(false));
      dialog.close();
      toast(`Offsets of ${group} are reset: ${format.plural(answer.moves.length, "partition")}`);
      done();
    });
  }

  async function run(task) {
    wrong.hidden = true;
    try {
      await task();
    } catch (error) {
      confirm.disabled = true;
      setText(wrong, error.code === "group_not_empty" ? `${error.message} Stop its members first.` : error.message);
      wrong.hidden = false;
    }
  }
}
