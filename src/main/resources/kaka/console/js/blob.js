import { h } from "./dom.js";
import { bytes, count } from "./format.js";
import { isJson, prettyJson } from "./json.js";
import { fromBase64, hexDump, hexLine, marked, oneLine, visible } from "./text.js";

const PREVIEW_BYTES = 24;

/** Key, value, or a header's value, as the broker tells it: text or null, how it is encoded, whether it is only the beginning. */
export const keyOf = (record) => ({ text: record.key, isBinary: record.key_encoding === "base64", isCut: record.key_cut === true, size: record.key_size });
export const valueOf = (record) => ({ text: record.value, isBinary: record.value_encoding === "base64", isCut: record.value_cut === true, size: record.value_size });
export const headerOf = (header) => ({ text: header.value, isBinary: header.encoding === "base64", isCut: header.cut === true });

/** One line of it. */
export function preview(blob, needle = "") {
  if (blob.text === null) {
    return h("span", { class: "null" }, "null");
  }
  if (blob.isBinary) {
    const content = hexLine(fromBase64(blob.text), PREVIEW_BYTES);
    return h("span", { class: "mono" }, h("span", { class: "faint" }, "binary "), content);
  }
  if (blob.text === "") {
    return h("span", { class: "null" }, "empty");
  }
  return h("span", { class: "mono" }, marked(oneLine(blob.text), needle), blob.isCut ? "…" : "");
}

/**
 * All of it that is here, in the form that suits it best, and a choice of the others.
 *
 * @param more what is done to have the rest of a long one
 * @param whole where the whole can be downloaded
 */
export function blobView({ name, blob, needle = "", more = null, whole = null }) {
  if (blob.text === null) {
    return h("div", null, headOf(name, [h("span", { class: "null" }, "null")]));
  }
  const forms = formsOf(blob, needle);
  const body = h("pre", { tabindex: "0", "aria-label": name });
  const buttons = forms.map(([title], index) => h("button", { type: "button", class: "plain", onclick: () => choose(index) }, title));
  const tools = [
    h("span", { class: "faint" }, sizeOf(blob)),
    h("span", { class: "spring" }),
    h("span", { class: "segmented" }, buttons.length > 1 ? buttons : null),
    navigator.clipboard === undefined || blob.isCut ? null : h("button", { type: "button", class: "plain", onclick: copy }, "Copy"),
    whole === null ? null : h("a", { class: "button plain", href: whole, download: "" }, "Download"),
  ];

  function choose(index) {
    const [title, content] = forms[index];
    body.className = title === "Hex" ? "blob hex" : "blob";
    body.replaceChildren(...content());
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === index)));
  }

  async function copy(event) {
    await navigator.clipboard.writeText(blob.text);
    event.target.textContent = "Copied";
  }

  choose(0);
  const rest = blob.isCut && more !== null ? h("button", { type: "button", onclick: more }, "Show more of it") : null;
  return h("div", null, headOf(name, tools), body, rest);
}

function sizeOf(blob) {
  if (blob.size === undefined) {
    return blob.isCut ? "the beginning of it" : "";
  }
  return blob.isCut ? `the beginning of ${bytes(blob.size)}` : blob.size < 1024 ? `${count(blob.size)} B` : bytes(blob.size);
}

function formsOf(blob, needle) {
  const raw = () => (blob.isBinary ? fromBase64(blob.text) : new TextEncoder().encode(blob.text));
  const forms = [["Hex", () => [hexDump(raw())]]];
  if (!blob.isBinary) {
    forms.unshift(["Text", () => marked(visible(blob.text), needle)]);
  }
  if (!blob.isBinary && !blob.isCut && isJson(blob.text)) {
    forms.unshift(["JSON", () => prettyJson(visible(blob.text))]);
  }
  return forms;
}

const headOf = (name, tools) => h("div", { class: "blob-head" }, h("span", { class: "name" }, name), tools);
