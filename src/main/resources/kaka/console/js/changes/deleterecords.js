import { path, post } from "../api.js";
import { h, setText } from "../dom.js";
import * as format from "../format.js";
import { ask } from "./ask.js";
import { field } from "./newtopic.js";

/**
 * Lets go of the oldest records of a partition, up to an offset.
 *
 * @param item the partition, as the view has shown it last
 */
export function deleteRecords(item, done) {
  const name = `${item.topic}-${item.partition}`;
  const offset = h("input", { type: "number", required: true, min: item.log_start, max: item.high_watermark, step: 1, value: item.log_start, oninput: follow });
  const what = h("p", { class: "muted", role: "status" });
  ask({
    title: `Delete records of ${name}`,
    body: [
      field("Before offset", offset, `from ${format.count(item.log_start)} to ${format.count(item.high_watermark)}, which deletes all there are now`),
      what,
    ],
    confirm: "Delete records",
    isDangerous: true,
    typed: name,
    async act() {
      const answer = await post(`${path("topics", item.topic, "partitions", item.partition)}/delete-records`, { before_offset: Number(offset.value) });
      return `${name} begins at offset ${format.count(answer.log_start)}`;
    },
    done,
  });
  offset.select();
  follow();

  function follow() {
    const count = Math.min(Number(offset.value), item.high_watermark) - item.log_start;
    setText(what, count > 0 ? `${format.plural(count, "offset")} will be gone for good, for every group. Files go when all of a segment is.` : "Nothing is deleted yet: choose an offset.");
  }
}
