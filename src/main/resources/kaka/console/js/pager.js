import { h, setText } from "./dom.js";
import { count } from "./format.js";

/**
 * "101–200 of 10,000 partitions" with what turns pages; where one page has all of them, how many they are.
 *
 * @param size things on a page
 * @param turn told the first thing's index
 */
export function pager({ size, noun, turn }) {
  let first = 0;
  let total = 0;
  const range = h("span", { class: "range", role: "status" });
  const button = (label, text, target) =>
    h("button", { type: "button", class: "plain", "aria-label": label, title: label, onclick: () => turn(target()) }, text);
  const last = () => Math.max(0, Math.floor((total - 1) / size) * size);
  const toStart = button("First page", "«", () => 0);
  const back = button("Previous page", "‹ Previous", () => Math.max(0, first - size));
  const forward = button("Next page", "Next ›", () => Math.min(last(), first + size));
  const toEnd = button("Last page", "»", last);
  back.dataset.key = "[";
  forward.dataset.key = "]";
  const element = h("div", { class: "pager" }, range, h("span", { class: "spring" }), toStart, back, forward, toEnd);

  function update(newFirst, newTotal, all = newTotal) {
    first = newFirst;
    total = newTotal;
    const upTo = Math.min(first + size, total);
    const things = all === 1 ? noun.replace(/s$/, "") : noun;
    const of = all > total ? `${count(total)} that match, of ${count(all)} ${things}` : `${count(total)} ${things}`;
    const part = total > size ? `${count(first + 1)}–${count(upTo)} of ` : "";
    setText(range, total === 0 ? `none of ${count(all)} ${things}` : `${part}${of}`);
    toStart.disabled = back.disabled = first === 0;
    toEnd.disabled = forward.disabled = upTo >= total;
    for (const each of [toStart, back, forward, toEnd]) {
      each.hidden = total <= size;
    }
    element.hidden = all === 0;
  }

  return { element, update };
}
