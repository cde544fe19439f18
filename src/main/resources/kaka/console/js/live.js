import { LostError } from "./api.js";
import { reach } from "./reach.js";
import { failed, loading } from "./states.js";

/**
 * Keeps a part of the page current: loads, shows, waits, loads again; not while nobody looks, and at once when the broker is back.
 * Until there is something it says that it loads; where loading fails it says why; where only the broker is gone, what was shown stays.
 *
 * @param box whose children are content, or what stands in for it
 * @param load given a signal that ends with the view
 * @param everyMs 0: only when refresh() is called
 */
export function live({ box, content, what, load, show, everyMs = 2000 }) {
  const ended = new AbortController();
  let timer = null;
  let current = null; // of the load under way
  let hasContent = false;

  async function run() {
    clearTimeout(timer);
    current?.abort();
    const mine = new AbortController();
    current = mine;
    try {
      const data = await load(AbortSignal.any([mine.signal, ended.signal]));
      if (current === mine && !ended.signal.aborted) {
        show(data);
        put(content);
        hasContent = true;
      }
    } catch (error) {
      if (current === mine && !ended.signal.aborted) {
        onFailure(error);
      }
    }
    if (current === mine && !ended.signal.aborted && everyMs > 0) {
      timer = setTimeout(onTime, everyMs);
    }
  }

  function onFailure(error) {
    if (error instanceof LostError && hasContent) {
      return; // the banner says it, and what was seen last is still of use
    }
    if (!(error instanceof LostError) && error.status === undefined) {
      console.error(error); // ours
    }
    hasContent = false;
    put(failed(error, run));
  }

  function put(node) {
    if (box.firstChild !== node) {
      box.replaceChildren(node);
    }
  }

  function onTime() {
    if (!document.hidden) {
      run();
    }
  }

  put(loading(what));
  reach.addEventListener("back", run, { signal: ended.signal });
  document.addEventListener("visibilitychange", onTime, { signal: ended.signal });
  run();
  return {
    refresh: run,
    stop() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}
