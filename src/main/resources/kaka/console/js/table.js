import { h, setAttribute, setText } from "./dom.js";

/**
 * A table whose rows stay the same elements while what they show changes, so that the focus, a selection and a screen reader's place stay.
 *
 * @param columns each { title, text(row) } and, where wanted: node(row), made anew when text changes; number: to the right;
 *     lesser: not on a phone; wide: cut where it is long; wrap: over several lines; drawing: as wide as can be; sort: the name that onSort is told; hint
 * @param key of a row: the same row has the same one
 * @param onSort told a column's name
 * @returns {{element: HTMLElement, update: function(rows, {by, descending})}}
 */
export function table({ label, columns, key, onSort }) {
  const heads = columns.map((column) => headOf(column, onSort));
  const body = h("tbody");
  const element = h(
    "div",
    { class: "table-wrap" },
    h("table", { "aria-label": label }, h("thead", null, h("tr", null, heads)), body),
  );
  const shown = new Map(); // key -> { line, cells }

  function update(rows, sorted) {
    const wanted = new Set(rows.map(key));
    for (const [name, row] of shown) {
      if (!wanted.has(name)) {
        row.line.remove();
        shown.delete(name);
      }
    }
    rows.forEach((row, index) => place(row, index));
    if (sorted !== undefined) {
      heads.forEach((head, index) => markSort(head, columns[index], sorted));
    }
  }

  function place(row, index) {
    const name = key(row);
    let known = shown.get(name);
    if (known === undefined) {
      const cells = columns.map((column) => h("td", { class: classOf(column) }));
      known = { line: h("tr", null, cells), cells, texts: [] };
      shown.set(name, known);
    }
    columns.forEach((column, at) => fill(known, column, row, at));
    if (body.children[index] !== known.line) {
      body.insertBefore(known.line, body.children[index] ?? null);
    }
  }

  return { element, update };
}

function fill(known, column, row, at) {
  const text = String(column.text(row) ?? "");
  if (known.texts[at] === text) {
    return;
  }
  known.texts[at] = text;
  const cell = known.cells[at];
  if (column.node === undefined) {
    setText(cell, text);
  } else {
    cell.replaceChildren(column.node(row));
  }
  if (column.wide) {
    setAttribute(cell, "title", text);
  }
}

function headOf(column, onSort) {
  const title = column.sort === undefined ? column.title : h("button", { type: "button", onclick: () => onSort(column.sort) }, column.title);
  return h("th", { scope: "col", class: classOf(column), title: column.hint }, title);
}

function markSort(head, column, { by, descending }) {
  const isBy = column.sort !== undefined && column.sort === by;
  setAttribute(head, "aria-sort", isBy ? (descending ? "descending" : "ascending") : null);
}

function classOf(column) {
  const names = ["number", "lesser", "wide", "wrap", "drawing"].filter((name) => column[name]);
  return names.length === 0 ? null : names.join(" ");
}
