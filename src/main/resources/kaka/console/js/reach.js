/** Whether the broker answers. Every request tells; what shows it, and what waits for it, listens. */
export const reach = new EventTarget();

/** When it was last reached, if it is not now: milliseconds since 1970, else null. */
let lostAt = null;

export const isLost = () => lostAt !== null;
export const lostSince = () => lostAt;

/** @param reached what a request has found: any answer, of an error too, means that it is there */
export function report(reached) {
  if (reached === (lostAt === null)) {
    return;
  }
  lostAt = reached ? null : Date.now();
  reach.dispatchEvent(new Event(reached ? "back" : "lost"));
}
