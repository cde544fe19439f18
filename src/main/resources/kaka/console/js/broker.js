import { get } from "./api.js";
import { isLost, reach } from "./reach.js";
import { Samples } from "./samples.js";

const EVERY_MS = 2000;
const WHILE_LOST_MS = 1000;

/** What every view knows of the broker; "change" after each look at it. */
export const broker = new EventTarget();
broker.overview = null;
broker.samples = new Samples();

/** Whether it lets the console change anything. */
export const isWritable = () => broker.overview?.write === true;

/** Looks for as long as the page is open; this is also what finds that a broker has gone, or come back. */
export function watchBroker() {
  reach.addEventListener("lost", () => broker.samples.addGap());
  look();
}

export async function look() {
  clearTimeout(look.timer);
  try {
    const overview = await get("/overview");
    broker.overview = overview;
    broker.samples.add(overview);
    broker.dispatchEvent(new Event("change"));
  } catch (error) {
    if (error.status === undefined) {
      throw error; // ours; an answer that says no comes again
    }
    broker.dispatchEvent(new Event("miss"));
  }
  clearTimeout(look.timer);
  look.timer = setTimeout(look, isLost() ? WHILE_LOST_MS : EVERY_MS);
}
