import { h } from "./dom.js";

const MOST_TOKENS = 20_000;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/g;

/** Whether a text is a JSON object or array: a lone number or word gains nothing from being printed as JSON. */
export function isJson(text) {
  if (!/^\s*[[{]/.test(text)) {
    return false;
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * JSON indented and coloured, of its own text and not of what it means to JavaScript: numbers keep all their digits, names that are there twice
 * stay twice.
 *
 * @param text JSON, as isJson says
 * @returns {Node[]}
 */
export function prettyJson(text) {
  const tokens = text.match(TOKEN) ?? [];
  const nodes = [];
  let plain = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    const isClosed = (token === "{" && next === "}") || (token === "[" && next === "]");
    if (token === "}" || token === "]") {
      depth--;
      plain += tokens[at - 1] === "{" || tokens[at - 1] === "[" ? token : line() + token;
    } else if (token === "{" || token === "[") {
      depth++;
      plain += isClosed ? token : token + line();
    } else if (token === ",") {
      plain += token + line();
    } else if (token === ":") {
      plain += ": ";
    } else if (nodes.length > MOST_TOKENS) {
      plain += token; // colours cost elements
    } else {
      nodes.push(plain, h("span", { class: kindOf(token, next) }, token));
      plain = "";
    }
  });
  return [...nodes, plain];
}

function kindOf(token, next) {
  if (token.startsWith('"')) {
    return next === ":" ? "json-key" : "json-string";
  }
  return /^[tfn]/.test(token) ? "json-word" : "json-number";
}
