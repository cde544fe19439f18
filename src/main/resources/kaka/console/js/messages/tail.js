import { get, path } from "../api.js";
import { filters } from "./query.js";

const EVERY_MS = 700;
/** So often in a row more came than one answer holds: they come faster than they can be shown. */
const MOST_BEHIND = 3;

/**
 * Follows a topic's end. While the page is hidden it rests; where records come faster than they can be shown it goes to the newest ones.
 *
 * @param cursor behind which what is new begins
 * @param arrived told the records, oldest first, and whether some were left out before them
 * @param failed told an error; the tail goes on nevertheless
 */
export async function tail(topic, wanted, cursor, signal, arrived, failed) {
  const ask = (from) => get(`${path("topics", topic)}/records`, { ...filters(wanted), ...from }, signal);
  let at = cursor;
  let behind = 0;
  while (!signal.aborted) {
    try {
      if (!document.hidden) {
        const page = await ask({ cursor: at });
        behind = page.end_reached ? 0 : behind + 1;
        if (behind >= MOST_BEHIND) {
          const newest = await ask({ last: wanted.limit });
          arrived(newest.items, true);
          at = newest.next;
          behind = 0;
        } else {
          arrived(page.items, false);
          at = page.next;
        }
      }
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      failed(error);
    }
    await rest(behind > 0 ? 0 : EVERY_MS, signal);
  }
}

function rest(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
