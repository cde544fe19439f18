import { h, svg } from "../dom.js";
import * as format from "../format.js";
import { badge, head } from "../head.js";
import { listView } from "../listview.js";
import { empty } from "../states.js";

const COLUMNS = [
  { title: "Address", text: (item) => item.address, node: (item) => h("code", null, item.address) },
  { title: "Client", text: (item) => item.client_id || "–", wide: true },
  { title: "Protocol", lesser: true, text: (item) => item.protocol },
  { title: "Open for", sort: "age", number: true, lesser: true, text: (item) => format.duration(item.age_seconds * 1000) },
  { title: "In flight", sort: "in_flight", number: true, text: (item) => `${format.count(item.requests_in_flight)} of ${format.count(item.window_requests)}`, hint: "Requests taken and not answered yet, of those its window has room for" },
  { title: "Bytes in flight", sort: "bytes", number: true, lesser: true, text: (item) => `${format.bytes(item.bytes_in_flight)} of ${format.bytes(item.window_bytes)}` },
  { title: "Window", lesser: true, text: (item) => format.percent(fullness(item)), node: (item) => meter(fullness(item)) },
  { title: "Credit", text: (item) => (item.waiting_for_credit ? "waits" : "has"), node: (item) => (item.waiting_for_credit ? badge("waits for credit", "warn") : badge("has credit", "good")), lesser: true },
];

const fullness = (item) => Math.min(1, Math.max(item.requests_in_flight / item.window_requests, item.bytes_in_flight / item.window_bytes));

function meter(part) {
  return svg(
    "svg",
    { class: "meter", viewBox: "0 0 96 8", role: "img", "aria-label": format.percent(part) },
    svg("title", null, format.percent(part)),
    svg("rect", { class: "series-rest", width: 96, height: 8, rx: 3 }),
    svg("rect", { class: part > 0.8 ? "series-3" : "series-1", width: 96 * part, height: 8, rx: 3 }),
  );
}

/** Who is connected, and how full the window of each is. */
export function connections(route) {
  const list = listView({
    api: "/connections",
    route,
    label: "Connections",
    noun: "connections",
    columns: COLUMNS,
    key: (item) => String(item.id),
    sort: "age",
    descending: true,
    everyMs: 2000,
    filterHint: "Filter by address or client",
    none: () => empty("Nobody is connected", "Kafka's and kaka's clients connect to the broker's own port, not to this one."),
  });
  return { element: h("div", { class: "view" }, head([["Connections", ["connections"]]]), list.element), stop: list.stop };
}
