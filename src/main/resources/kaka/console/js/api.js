import { report } from "./reach.js";

const BASE = "/api/v1";
const PATIENCE_MS = 20_000;

/** The broker has answered that it will not, or cannot. */
export class ApiError extends Error {
  constructor(status, error) {
    const advice = error?.advice ? ` ${sentence(error.advice)}` : "";
    super(sentence(error?.message ?? `The broker answered with status ${status}`) + advice);
    this.status = status;
    this.code = error?.code ?? "";
  }
}

/** There was no answer. */
export class LostError extends Error {
  constructor() {
    super("The broker does not answer.");
    this.status = 0;
  }
}

export const get = (path, query, signal) => request("GET", path, query, undefined, signal);
export const post = (path, body, signal) => request("POST", path, {}, body, signal);
export const patch = (path, body) => request("PATCH", path, {}, body);
export const remove = (path) => request("DELETE", path, {}, undefined);

/** @param parts of a path, as they are named: each is escaped by itself */
export const path = (...parts) => `/${parts.map(encodeURIComponent).join("/")}`;

/** For a link that downloads. */
export const address = (of) => BASE + of;

async function request(method, of, query = {}, body, signal) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const options = { method, cache: "no-store", signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]) };
  if (body !== undefined) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  const answer = await answerOf(`${BASE}${of}${search === "" ? "" : `?${search}`}`, options, signal);
  if (!answer.ok) {
    throw new ApiError(answer.status, answer.json?.error);
  }
  return answer.json;
}

/** Only an answer that is whole counts: a broker that dies in the middle of one is not there. */
async function answerOf(url, options, signal) {
  try {
    const response = await fetch(url, options);
    const text = await response.text();
    report(true);
    return { ok: response.ok, status: response.status, json: parsed(text) };
  } catch (error) {
    if (signal?.aborted) {
      throw error; // nobody waits for it any more
    }
    report(false);
    throw new LostError();
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function sentence(text) {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
