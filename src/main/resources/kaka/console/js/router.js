/** Views by the URL's hash: #/topics/orders/messages?partition=3. Each part is escaped by itself, so a name may hold anything. */

/** @returns {{path: string[], query: URLSearchParams}} */
export function parse(hash) {
  const text = hash.startsWith("#/") ? hash.slice(2) : "";
  const [path, query = ""] = text.split(/\?(.*)/s);
  return { path: path.split("/").filter(Boolean).map(unescape), query: new URLSearchParams(query) };
}

function unescape(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody typed a lone %
  }
}

/** @param query what is empty is left out, so that a link says what differs from the view's defaults */
export function link(path, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

export function go(path, query) {
  location.hash = link(path, query);
}

/** What is in the address follows what is on the page, without a step in the history, and without another start of the view. */
export function remember(path, query) {
  history.replaceState(null, "", link(path, query));
}
