/**
 * What messages are wanted. Stands in the address, so that a search can be linked.
 *
 * @typedef {{partition: string, from: string, limit: number, key: string, text: string}} Wanted
 *     from: newest, oldest, offset:N, time:MS
 */
export const LIMITS = [20, 50, 100, 200, 500];
const FROM = /^(newest|oldest|offset:\d+|time:\d+)$/;

/** @returns {Wanted} */
export function fromAddress(query) {
  const from = query.get("from") ?? "newest";
  const limit = Number(query.get("limit"));
  return {
    partition: /^\d+$/.test(query.get("partition") ?? "") ? query.get("partition") : "",
    from: FROM.test(from) ? from : "newest",
    limit: LIMITS.includes(limit) ? limit : 50,
    key: query.get("key") ?? "",
    text: query.get("text") ?? "",
  };
}

/** What differs from the defaults. */
export const toAddress = (wanted) => ({
  partition: wanted.partition,
  from: wanted.from === "newest" ? "" : wanted.from,
  limit: wanted.limit === 50 ? "" : wanted.limit,
  key: wanted.key,
  text: wanted.text,
});

export const isSearch = (wanted) => wanted.key !== "" || wanted.text !== "";

/** Newest first is read backwards, from the end. */
export const isBackward = (wanted) => wanted.from === "newest";

/** Parameters that every request has, also one that goes on with a cursor. */
export const filters = (wanted) => ({ partition: wanted.partition, key: wanted.key, text: wanted.text, limit: wanted.limit });

/** Where the first request begins. */
export function start(wanted) {
  const [word, number] = wanted.from.split(":");
  switch (word) {
    case "offset":
      return { offset: number };
    case "time":
      return { time: number };
    case "oldest":
      return { time: 0 };
    default:
      return { last: wanted.limit };
  }
}
