import { get, path } from "../api.js";
import { h, setText } from "../dom.js";
import * as format from "../format.js";
import { reach } from "../reach.js";
import { remember } from "../router.js";
import { empty, failed, loading } from "../states.js";
import { controls } from "./controls.js";
import { filters, fromAddress, isBackward, isSearch, start, toAddress } from "./query.js";
import { recordList } from "./recordlist.js";
import { search } from "./search.js";
import { tail } from "./tail.js";

/** More partitions than this cannot be read together. */
const MOST_PARTITIONS = 64;

const LIVE = "Live: new messages come in at the top";

/** Messages of a topic: read page by page, searched, or followed. */
export function messages(route, topic) {
  let wanted = fromAddress(route.query);
  let isStarted = false; // whether it is known which partitions can be read together
  let running = null; // AbortController of what reads now
  let cursors = { older: null, newer: null };
  const form = controls(wanted, read);
  const list = recordList(topic);
  const said = h("span", { role: "status" });
  const bar = h("progress", { class: "progress", max: 1, value: 0, hidden: true, "aria-label": "Searched" });
  const stop = h("button", { type: "button", onclick: onStop, hidden: true }, "Stop");
  const on = h("button", { type: "button", onclick: goOn, hidden: true }, "Go on");
  const follow = h("button", { type: "button", onclick: onFollow, "aria-pressed": "false" }, "Follow live");
  const dot = h("span", { class: "live-dot", hidden: true });
  const first = h("button", { type: "button", class: "plain", "data-key": "[", onclick: () => turn("first") });
  const second = h("button", { type: "button", class: "plain", "data-key": "]", onclick: () => turn("second") });
  const place = h("div");
  const element = h(
    "div",
    { class: "view" },
    form.element,
    h("div", { class: "row middle" }, follow, dot, said, bar, stop, on),
    place,
    h("div", { class: "pager" }, h("span", { class: "spring" }), first, second),
  );

  function read(next) {
    wanted = next;
    remember(["topics", topic, "messages"], toAddress(wanted));
    begin();
    list.clear();
    if (isSearch(wanted)) {
      searchFrom(null);
    } else {
      page(start(wanted), isBackward(wanted) ? "end" : "newer");
    }
  }

  /** Ends what reads, and makes ready for what comes. */
  function begin() {
    running?.abort();
    running = new AbortController();
    cursors = { older: null, newer: null };
    bar.hidden = stop.hidden = on.hidden = dot.hidden = true;
    follow.setAttribute("aria-pressed", "false");
    setText(follow, "Follow live");
    setText(said, "");
    showTurns();
    return running.signal;
  }

  /** @param way newer: forward from there; older: back from there; end: back from the end, behind which nothing is yet */
  async function page(from, way) {
    const signal = running.signal;
    place.replaceChildren(loading("messages"));
    try {
      const answer = await get(`${path("topics", topic)}/records`, { ...filters(wanted), ...from }, signal);
      const items = isBackward(wanted) ? [...answer.items].reverse() : answer.items;
      list.clear();
      list.append(items);
      const isLast = way === "end" || (way === "newer" && answer.end_reached);
      cursors = { older: answer.previous, newer: isLast ? null : answer.next };
      const there = answer.partitions.reduce((sum, each) => sum + each.end - each.log_start, 0);
      setText(said, items.length === 0 ? "" : `${format.plural(items.length, "message")} shown, of ${format.count(there)}`);
      showList(there === 0 ? "No messages yet" : "No messages there");
      showTurns();
    } catch (error) {
      fail(error, signal);
    }
  }

  /** Newest first goes back in time to the right, oldest first goes forward. */
  function showTurns() {
    const [left, right] = isBackward(wanted) ? ["newer", "older"] : ["older", "newer"];
    setText(first, `‹ ${left === "newer" ? "Newer" : "Older"}`);
    setText(second, `${right === "newer" ? "Newer" : "Older"} ›`);
    first.disabled = cursors[left] === null;
    second.disabled = cursors[right] === null;
    first.hidden = second.hidden = cursors.older === null && cursors.newer === null;
  }

  function turn(which) {
    const [left, right] = isBackward(wanted) ? ["newer", "older"] : ["older", "newer"];
    const way = which === "first" ? left : right;
    const cursor = cursors[way];
    begin();
    page({ cursor }, way);
  }

  let searched = null; // where a search goes on

  async function searchFrom(cursor) {
    const signal = running.signal;
    bar.hidden = stop.hidden = false;
    bar.removeAttribute("value");
    if (cursor === null) {
      place.replaceChildren(loading("what is found"));
    }
    let last = { found: 0, scannedRecords: 0, scannedBytes: 0, toScan: 0 };
    try {
      searched = cursor;
      await search(topic, wanted, cursor, signal, (progress) => {
        last = progress;
        searched = progress.cursor;
        list.append(progress.items, wanted.text || wanted.key);
        bar.value = Math.min(1, progress.scannedRecords / Math.max(1, progress.toScan));
        setText(said, `${format.count(list.count())} found, ${wordsOf(progress)}`);
        if (list.count() > 0) {
          showList("");
        }
      });
      setText(said, `${format.plural(list.count(), "message")} found, ${wordsOf(last)}${searched === null ? ", all there is" : ""}`);
      on.hidden = searched === null;
      showList("Nothing found");
    } catch (error) {
      fail(error, signal);
    }
    if (running.signal === signal) {
      bar.hidden = stop.hidden = true;
    }
  }

  const wordsOf = (progress) => `${format.count(progress.scannedRecords)} of up to ${format.count(progress.toScan)} searched (${format.bytes(progress.scannedBytes)})`;

  function goOn() {
    running?.abort();
    running = new AbortController();
    on.hidden = true;
    searchFrom(searched);
  }

  function onStop() {
    const text = said.textContent;
    begin();
    setText(said, text === "" ? "Stopped" : `Stopped: ${text}`);
    on.hidden = searched === null;
    showList("Stopped before anything was found");
  }

  async function onFollow() {
    const isOn = follow.getAttribute("aria-pressed") === "true";
    const signal = begin();
    if (isOn) {
      setText(said, "Not followed any more");
      return;
    }
    wanted = { ...form.current(), from: "newest" };
    follow.setAttribute("aria-pressed", "true");
    setText(follow, "Stop following");
    dot.hidden = false;
    list.clear();
    let seen = 0;
    let isFirst = true;
    const needle = wanted.text || wanted.key;
    try {
      const answer = await get(`${path("topics", topic)}/records`, { ...filters(wanted), last: wanted.limit }, signal);
      list.append([...answer.items].reverse(), needle);
      showList("Waiting for messages");
      setText(said, LIVE);
      await tail(topic, wanted, answer.next, signal, arrived, (error) => setText(said, `Live, but: ${error.message}`));
    } catch (error) {
      fail(error, signal);
    }

    function arrived(items, isSkipped) {
      seen += items.length;
      if (isSkipped) {
        list.clear();
      }
      list.prepend(items, needle);
      if (items.length > 0 && isFirst) {
        isFirst = false;
        showList("");
      }
      const skipped = isSkipped ? "; they come faster than they can be shown, so some were left out" : "";
      setText(said, seen === 0 ? LIVE : `Live: ${format.plural(seen, "new message")}${skipped}`);
    }
  }

  function showList(nothing) {
    const shown = list.count() > 0 || nothing === "" ? list.element : empty(nothing, hintOf(nothing));
    if (place.firstChild !== shown) {
      place.replaceChildren(shown);
    }
  }

  const hintOf = (nothing) => (nothing === "Nothing found" ? "Key is compared as a whole, text anywhere; letters A to Z in either case." : null);

  function fail(error, signal) {
    if (signal.aborted) {
      return;
    }
    if (error.status === undefined) {
      console.error(error);
    }
    place.replaceChildren(failed(error, again));
  }

  /** Of many partitions only one can be read at a time. */
  async function startUp() {
    isStarted = false;
    running = new AbortController();
    place.replaceChildren(loading("messages"));
    try {
      if (wanted.partition === "") {
        const data = await get(path("topics", topic), {}, running.signal);
        if (data.partitions > MOST_PARTITIONS || (data.partitions === 1 && wanted.from.startsWith("offset:"))) {
          wanted.partition = "0";
          form.setPartition("0");
        }
      }
      isStarted = true;
      read(wanted);
    } catch (error) {
      fail(error, running.signal);
    }
  }

  const again = () => (isStarted ? read(form.current()) : startUp());

  function onBack() {
    if (place.querySelector(".empty.bad") !== null) {
      again();
    }
  }

  reach.addEventListener("back", onBack);
  showTurns();
  startUp();
  return {
    element,
    stop() {
      reach.removeEventListener("back", onBack);
      running?.abort();
    },
  };
}
