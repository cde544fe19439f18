import { get } from "./api.js";
import { h } from "./dom.js";
import { live } from "./live.js";
import { pager } from "./pager.js";
import { link, remember } from "./router.js";
import { empty } from "./states.js";
import { table } from "./table.js";

const TYPED_MS = 200;
export const PAGE = 50;

/**
 * A list that the broker filters, sorts and cuts into pages, so that only one page is ever here. What is chosen stands in the address.
 *
 * @param api path of the list
 * @param route whose path and query the address has
 * @param more query parameters besides, made anew for each request
 * @param sort, descending what it is sorted by where nothing was chosen
 * @param filterHint null: there is nothing to filter by
 * @param none shown where there is nothing at all
 * @param tools shown beside the filter
 * @param onItems told what is going to be shown
 * @param onPage told each answer, once it is shown
 */
export function listView(options) {
  const { api, route, label, noun, columns, key, sort, descending = false, filterHint = null, none, tools = [], onItems = () => {}, onPage = () => {} } = options;
  const { more = () => ({}), everyMs = 3000, size = PAGE } = options;
  const chosen = {
    filter: route.query.get("filter") ?? "",
    sort: route.query.get("sort") ?? sort,
    descending: route.query.has("order") ? route.query.get("order") === "desc" : descending,
    first: Math.max(0, Number.parseInt(route.query.get("offset") ?? "0", 10) || 0),
  };
  let typed = null;
  let all = 0; // things there are without filter, as far as known

  const field = h("input", { type: "search", placeholder: filterHint, "aria-label": filterHint, "data-key": "/", spellcheck: "false", oninput: onTyped });
  field.value = chosen.filter;
  const rows = table({ label, columns, key, onSort });
  const pages = pager({ size, noun, turn: onTurn });
  const nothing = h("div");
  const content = h("div", { class: "view" }, rows.element, nothing, pages.element);
  const box = h("div", { "aria-busy": "false" });
  const bar = h("div", { class: "row middle" }, filterHint === null ? null : h("div", { class: "filter" }, field, h("kbd", { "aria-hidden": "true" }, "/")), tools);
  const element = h("div", { class: "view" }, filterHint === null && tools.length === 0 ? null : bar, box);

  function onTyped() {
    clearTimeout(typed);
    typed = setTimeout(() => choose({ filter: field.value, first: 0 }), TYPED_MS);
  }

  function onSort(by) {
    choose({ sort: by, descending: by === chosen.sort ? !chosen.descending : by !== "name", first: 0 });
  }

  function onTurn(first) {
    choose({ first });
  }

  function choose(changes) {
    Object.assign(chosen, changes);
    remember(route.path, {
      ...Object.fromEntries([...route.query].filter(([name]) => !["filter", "sort", "order", "offset"].includes(name))),
      filter: chosen.filter,
      sort: chosen.sort === sort ? "" : chosen.sort,
      order: chosen.sort === sort && chosen.descending === descending ? "" : chosen.descending ? "desc" : "asc",
      offset: chosen.first === 0 ? "" : chosen.first,
    });
    loop.refresh();
  }

  function show(page) {
    if (page.items.length === 0 && page.total > 0 && chosen.first > 0) {
      choose({ first: Math.floor((page.total - 1) / size) * size }); // the last page has gone
      return;
    }
    if (chosen.filter === "") {
      all = page.total;
    }
    const isFiltered = chosen.filter !== "" || Object.values(more()).some((value) => value !== "" && value !== null && value !== undefined);
    onItems(page.items);
    rows.update(page.items, { by: chosen.sort, descending: chosen.descending });
    rows.element.hidden = page.items.length === 0;
    nothing.replaceChildren(...(page.items.length > 0 ? [] : [isFiltered ? noMatch() : none()]));
    pages.update(page.offset, page.total, Math.max(all, page.total));
    onPage(page);
  }

  function noMatch() {
    return empty(
      `No ${noun} match`,
      h("button", { type: "button", onclick: clear }, "Clear the filter"),
    );
  }

  function clear() {
    field.value = "";
    options.onClear?.();
    choose({ filter: "", first: 0 });
  }

  const loop = live({
    box,
    content,
    what: noun,
    everyMs,
    load: (signal) => {
      const query = { ...more(), filter: chosen.filter, limit: size, offset: chosen.first };
      return get(api, sort === undefined ? query : { ...query, sort: chosen.sort, order: chosen.descending ? "desc" : "asc" }, signal);
    },
    show,
  });

  return {
    element,
    refresh: loop.refresh,
    restart: () => choose({ first: 0 }),
    stop() {
      clearTimeout(typed);
      loop.stop();
    },
  };
}

/** A cell that leads somewhere. */
export const anchor = (text, path, query) => h("a", { href: link(path, query) }, text);
