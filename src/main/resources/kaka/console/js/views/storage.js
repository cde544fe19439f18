import { get, path } from "../api.js";
import { broker } from "../broker.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { head, panel } from "../head.js";
import { anchor, listView } from "../listview.js";
import { drawSegments, segmentLegend } from "../segments.js";
import { empty } from "../states.js";
import { diskStack } from "./overview.js";

const PAGE = 20;
const DRAWN = 1000;

/** Where the bytes are: the disk, and the partitions by size, their segments drawn to one scale. */
export function storage(route) {
  const disk = h("div", { class: "panel-body" });
  const drawings = new Map(); // partition -> { size, node }
  let scale = 1;
  let asked = null; // of the page's segments

  const nameOf = (item) => `${item.topic}-${item.partition}`;
  const columns = [
    { title: "Partition", sort: "name", text: nameOf, node: (item) => anchor(nameOf(item), ["topics", item.topic, "partitions", String(item.partition)]), wide: true },
    { title: "Size", sort: "size", number: true, text: (item) => format.bytes(item.size_bytes) },
    { title: "Segments", number: true, lesser: true, text: (item) => format.count(item.segments) },
    { title: "To scale", drawing: true, text: nameOf, node: (item) => drawings.get(nameOf(item)).node },
  ];

  const list = listView({
    api: "/partitions",
    route,
    label: "Partitions by size",
    noun: "partitions",
    columns,
    key: nameOf,
    sort: "size",
    descending: true,
    size: PAGE,
    everyMs: 10_000,
    filterHint: "Filter by topic",
    tools: [segmentLegend()],
    none: () => empty("Nothing is stored yet"),
    onItems: (items) => items.forEach((item) => drawings.has(nameOf(item)) || drawings.set(nameOf(item), { size: null, node: h("div", { class: "drawing" }) })),
    onPage: (page) => draw(page.items),
  });

  async function draw(items) {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    const newScale = Math.max(1, ...items.map((item) => item.size_bytes ?? 0));
    const isOtherScale = newScale !== scale;
    scale = newScale;
    for (const item of items) {
      const drawing = drawings.get(nameOf(item));
      if (item.size_bytes === null || (!isOtherScale && drawing.size === item.size_bytes)) {
        continue;
      }
      try {
        const segments = await get(`${path("topics", item.topic, "partitions", String(item.partition))}/segments`, { limit: DRAWN, order: "desc" }, signal);
        drawing.size = item.size_bytes;
        drawing.node.replaceChildren(drawSegments([...segments.items].reverse(), scale, nameOf(item)));
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        drawing.node.replaceChildren(h("span", { class: "faint" }, error.message));
      }
    }
  }

  function showDisk() {
    if (broker.overview !== null) {
      disk.replaceChildren(diskStack(broker.overview.disk), h("p", { class: "muted" }, wordsOf(broker.overview)));
    }
  }

  broker.addEventListener("change", showDisk);
  showDisk();
  return {
    element: h("div", { class: "view" }, head([["Storage", ["storage"]]]), panel("Disk", disk), list.element),
    stop() {
      asked?.abort();
      broker.removeEventListener("change", showDisk);
      list.stop();
    },
  };
}

function wordsOf({ files, durability, directory }) {
  const where = directory === "" ? "In memory" : directory;
  return `${where} · durability ${durability} · ${format.count(files.open)} of ${format.count(files.max)} files open`;
}
