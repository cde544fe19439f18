import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { becomes, column, number, figureOf, shows } from "./browser.js";
import { MANY } from "./data.js";
import { check, equal } from "./report.js";

const run = promisify(execFile);
const PARTITIONS = 100;
const TOPICS = MANY / PARTITIONS;
const LONG_NAME = `a-topic-of-the-longest-name-that-there-can-be-${"x".repeat(203)}`;
const LONG_GROUP = `a-group-of-a-long-name-${"y".repeat(180)}`;
const PROMPT_MS = 5000; // on a busy machine; a quiet one takes some ms
const MOST_BYTES = 2 << 20;
const MOST_GROWTH = 8 << 20;
const ROUNDS = 40;

const nameOf = (n) => (n === 0 ? LONG_NAME : `topic-${String(n).padStart(3, "0")}`);

/** A hundred topics of a hundred partitions, a record here and there, and two groups that have read all of them. */
export async function fillWide(broker) {
  for (let n = 0; n < TOPICS; n++) {
    await broker.post("/topics", { name: nameOf(n), partitions: PARTITIONS });
    const records = Array.from({ length: PARTITIONS / 2 }, (_, i) => ({ key: `key ${i}`, value: `{"n":${n},"i":${i}}`, partition: 2 * i }));
    await broker.post(`/topics/${nameOf(n)}/records`, { records });
    const offsets = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: nameOf(n), partition, offset: 0 }));
    await broker.post("/groups/wide/offsets", { offsets });
    await broker.post(`/groups/${LONG_GROUP}/offsets`, { offsets: offsets.slice(0, 1) });
  }
}

/** Every path of the API's document that only reads, with the most that one answer may list. */
async function paths(broker) {
  const document = await (await fetch(`${broker.home}/api/openapi.json`)).json();
  const words = { topic: LONG_NAME, partition: 0, group: "wide", offset: 0 };
  return Object.entries(document.paths)
    .filter(([, methods]) => methods.get !== undefined)
    .map(([path, { get }]) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => words[name]);
      const query = [];
      if ((get.parameters ?? []).some(({ name }) => name === "limit")) query.push(path.endsWith("/records") ? "limit=500" : "limit=1000");
      if (path.endsWith("{topic}/records")) query.push("partition=0");
      return { path, url: `${filled}${query.length > 0 ? `?${query.join("&")}` : ""}` };
    })
    .concat(["/metrics", "/status", "/health/ready", "/api/v1/partitions?limit=50&offset=9000&sort=size&order=desc", "/api/v1/topics?filter=9&sort=size&limit=50"].map((url) => ({ path: url, url })));
}

const liveBytes = async (broker) => Number(/^Total\s+\d+\s+(\d+)/m.exec((await run("jcmd", [String(broker.process.pid), "GC.class_histogram"], { maxBuffer: 1 << 26 })).stdout)[1]);

/** Each route answers promptly, with a page of what there is, and leaves nothing behind in the broker. */
export async function routes(broker) {
  const all = await paths(broker);
  const took = all.map(() => []);
  const bytes = all.map(() => 0);
  const wrong = [];
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 5) {
      before = await liveBytes(broker); // all is loaded by then
    }
    for (const [index, { url }] of all.entries()) {
      const start = performance.now();
      const answer = await fetch(`${broker.home}${url}`);
      const body = await answer.arrayBuffer();
      took[index].push(performance.now() - start);
      bytes[index] = Math.max(bytes[index], body.byteLength);
      if (answer.status !== 200) wrong.push(`${url}: ${answer.status} ${Buffer.from(body).toString().slice(0, 200)}`);
    }
  }
  equal("scale: every route answers", [...new Set(wrong)], []);
  all.forEach(({ path }, index) => {
    const [median, longest] = [[...took[index]].sort((a, b) => a - b)[ROUNDS >> 1], Math.max(...took[index])];
    const what = `scale: ${path.replaceAll(LONG_NAME, "{topic}")}: ${median.toFixed(1)} ms, at most ${longest.toFixed(0)} ms, ${bytes[index].toLocaleString("en")} bytes`;
    check(what, median < PROMPT_MS && bytes[index] < MOST_BYTES);
  });
  const growth = (await liveBytes(broker)) - before;
  check(`scale: what the broker holds grew by ${growth.toLocaleString("en")} bytes in ${(ROUNDS - 5) * all.length} requests`, growth < MOST_GROWTH);
  const { by_use: uses } = (await broker.api("/overview")).memory;
  equal("scale: nothing of the memory budget is still held for answers", uses.fetch, 0);
  const page = await broker.api("/partitions?limit=1000&offset=500");
  equal("scale: a list is cut into pages", [page.items.length, page.total, page.offset], [1000, MANY, 500]);
}

/** The console over all of it: pages, figures, and names that are too long for a line. */
export async function wide(browser, broker) {
  const page = await browser.open("#/overview");
  equal("wide: topics", number(await figureOf(page, "Topics")), TOPICS);
  equal("wide: partitions", number(await figureOf(page, "Partitions")), MANY);
  const { groups } = await broker.api("/overview");
  await becomes("wide: the groups' lag", () => figureOf(page, "Groups' lag"), (text) => number(text) === groups.lag && groups.lag > 0);
  await browser.go(page, "#/topics");
  await becomes("wide: a page of topics", async () => (await column(page, "Topics", 1)).length, (count) => count === Math.min(50, TOPICS));
  await browser.go(page, `#/topics/${LONG_NAME}`);
  await becomes("wide: a page of its partitions", async () => (await column(page, `Partitions of ${LONG_NAME}`, 1)).length, (count) => count === 50);
  await browser.go(page, `#/topics/${LONG_NAME}/messages?partition=0`);
  await shows("wide: its messages", page.locator(".record-line"));
  await browser.go(page, "#/groups/wide");
  await becomes("wide: a page of a group's partitions", async () => (await column(page, "Offsets", 1)).length, (count) => count === 50);
  await browser.go(page, "#/storage");
  await becomes("wide: a page of logs", async () => (await column(page, "Partitions by size", 1)).length, (count) => count >= 20 && count <= 50);
  for (const [name, hash] of Object.entries(WIDE_VIEWS)) {
    await browser.go(page, hash);
    await page.waitForFunction(() => document.querySelector("main .loading") === null);
    for (const width of [1366, 1024, 360]) {
      await page.setViewportSize({ width, height: 860 });
      const over = await page.evaluate((most) => document.documentElement.scrollWidth - most, width);
      check(`wide: ${name} fits into ${width} pixels`, over <= 0, `${over} pixels too wide`);
    }
    await page.setViewportSize({ width: 1366, height: 860 });
  }
  await page.context().close();
}

export const WIDE_VIEWS = {
  "wide-overview": "#/overview",
  "wide-topics": "#/topics",
  "wide-topic": `#/topics/${LONG_NAME}`,
  "wide-messages": `#/topics/${LONG_NAME}/messages?partition=0`,
  "wide-partition": `#/topics/${LONG_NAME}/partitions/0`,
  "wide-groups": "#/groups",
  "wide-group": "#/groups/wide",
  "wide-long-group": `#/groups/${LONG_GROUP}`,
  "wide-storage": "#/storage",
};
