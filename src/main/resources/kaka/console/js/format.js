/** How numbers, sizes and times read. Units are those of the README: KiB is 1024 bytes, times are the reader's own. */
const GROUPED = new Intl.NumberFormat("en");
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const DECIMAL = ["", "k", "M", "G", "T"];

/** Three digits that count: 1.23, 12.3, 123. */
function digits(value) {
  const size = Math.abs(value);
  if (size === 0 || size >= 100) {
    return String(Math.round(value));
  }
  return String(Number(value.toFixed(size >= 10 ? 1 : 2)));
}

function scaled(value, step, names) {
  let left = value;
  let name = 0;
  while (Math.abs(left) >= step * 0.9995 && name < names.length - 1) {
    left /= step;
    name++;
  }
  return [digits(left), names[name]];
}

/** 1,234,567 */
export const count = (value) => (isNumber(value) ? GROUPED.format(value) : "–");

/** 1.23M, for where there is little room. */
export const compact = (value) => (isNumber(value) ? scaled(value, 1000, DECIMAL).join("") : "–");

/** 1.2 MiB */
export const bytes = (value) => (isNumber(value) ? scaled(value, 1024, BINARY).join(" ") : "–");

export const perSecond = (value) => (isNumber(value) ? `${compact(value)}/s` : "–");

export const bytesPerSecond = (value) => (isNumber(value) ? `${bytes(value)}/s` : "–");

export const percent = (part) => (isNumber(part) ? `${digits(part * 100)} %` : "–");

/** 412 µs, 12.3 ms, 1.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h */
export function duration(milliseconds) {
  if (!isNumber(milliseconds)) {
    return "–";
  }
  const seconds = milliseconds / 1000;
  if (milliseconds === 0) {
    return "0 s";
  }
  if (milliseconds < 1) {
    return `${digits(milliseconds * 1000)} µs`;
  }
  if (seconds < 1) {
    return `${digits(milliseconds)} ms`;
  }
  if (seconds < 60) {
    return `${digits(seconds)} s`;
  }
  const steps = [
    [86400, "d", 3600, "h"],
    [3600, "h", 60, "min"],
    [60, "min", 1, "s"],
  ];
  const [large, largeName, small, smallName] = steps.find(([size]) => seconds >= size);
  const wholes = Math.floor(seconds / large);
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? `${wholes} ${largeName}` : `${wholes} ${largeName} ${rest} ${smallName}`;
}

const two = (value) => String(value).padStart(2, "0");

/** 2026-11-30 14:03:21.042, in the time zone of the browser */
export function time(milliseconds) {
  if (!isNumber(milliseconds)) {
    return "–";
  }
  const at = new Date(milliseconds);
  if (Number.isNaN(at.getTime())) {
    return String(milliseconds); // a record's timestamp may be any number
  }
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${clock(milliseconds)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** 14:03:21 */
export function clock(milliseconds) {
  const at = new Date(milliseconds);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** "3 min 20 s ago" */
export function ago(milliseconds) {
  const since = Date.now() - milliseconds;
  return since < 1000 ? "now" : `${duration(Math.floor(since / 1000) * 1000)} ago`;
}

export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}
