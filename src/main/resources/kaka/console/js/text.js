import { h } from "./dom.js";

const HEX_LINE = 16;
const LINES = /[\n\r\t]/;
// Characters that are not seen, or that turn the ones behind them around: a record must not look other than it is.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text with what is not seen made visible. */
export function visible(text) {
  return text.replace(UNSEEN, (char) => {
    if (LINES.test(char)) {
      return char;
    }
    const code = char.codePointAt(0);
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** On one line. */
export const oneLine = (text) => visible(text.replace(/\s+/g, " "));

/** @returns {Uint8Array} */
export function fromBase64(text) {
  const raw = atob(text);
  return Uint8Array.from(raw, (char) => char.charCodeAt(0));
}

const hex = (value, digits = 2) => value.toString(16).padStart(digits, "0");

/** "0a 1b 2c" */
export const hexLine = (bytes, most) => Array.from(bytes.subarray(0, most), (value) => hex(value)).join(" ") + (bytes.length > most ? " …" : "");

/** Offset, 16 bytes, and those of them that are ASCII. */
export function hexDump(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += HEX_LINE) {
    const part = bytes.subarray(at, at + HEX_LINE);
    const left = hexLine(part.subarray(0, 8), 8).padEnd(23);
    const right = hexLine(part.subarray(8), 8).padEnd(23);
    const ascii = Array.from(part, (value) => (value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : "·")).join("");
    lines.push(`${hex(at, 8)}  ${left}  ${right}  ${ascii}`);
  }
  return lines.join("\n");
}

/** What the broker says to people has commands between backticks. */
export const withCommands = (text) => text.split("`").map((part, index) => (index % 2 === 0 ? part : h("code", null, part)));

/**
 * A text with what was searched for marked.
 *
 * @param needle "" marks nothing
 * @returns {(string | Node)[]}
 */
export function marked(text, needle) {
  if (needle === "") {
    return [text];
  }
  const parts = [];
  const low = text.toLowerCase();
  const wanted = needle.toLowerCase();
  let from = 0;
  if (low.length === text.length) {
    for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, from)) {
      parts.push(text.slice(from, at), h("mark", null, text.slice(at, at + wanted.length)));
      from = at + wanted.length;
    }
  }
  return [...parts, text.slice(from)];
}
