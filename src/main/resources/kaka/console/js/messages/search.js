import { get, path } from "../api.js";
import { filters, isBackward, start } from "./query.js";

/**
 * Asks on and on, a stretch of the log at a time, until there are as many as are wanted, or all was searched, or signal says stop.
 * The broker bounds each stretch; nothing is kept but what was found.
 *
 * @param cursor where an earlier search stopped, or null
 * @param progress told { items, found, scannedRecords, scannedBytes, toScan, cursor } after each stretch; toScan: records there are, at most; cursor: where to go on, null where all was searched
 */
export async function search(topic, wanted, cursor, signal, progress) {
  const isBack = isBackward(wanted);
  let at = cursor;
  let found = 0;
  let scannedRecords = 0;
  let scannedBytes = 0;
  for (;;) {
    const from = at === null ? start(wanted) : { cursor: at };
    const page = await get(`${path("topics", topic)}/records`, { ...filters(wanted), ...from }, signal);
    found += page.items.length;
    scannedRecords += page.scanned_records;
    scannedBytes += page.scanned_bytes;
    at = isBack ? page.previous : page.end_reached ? null : page.next;
    progress({
      items: isBack ? [...page.items].reverse() : page.items,
      found,
      scannedRecords,
      scannedBytes,
      toScan: recordsOf(page.partitions, wanted),
      cursor: at,
    });
    if (at === null || found >= wanted.limit) {
      return;
    }
  }
}

/** From an offset on there are fewer; from a time on nobody knows, so all are an upper bound. */
function recordsOf(partitions, wanted) {
  const from = wanted.from.startsWith("offset:") ? Number(wanted.from.slice(7)) : 0;
  return partitions.reduce((sum, each) => sum + Math.max(0, each.end - Math.max(from, each.log_start)), 0);
}
