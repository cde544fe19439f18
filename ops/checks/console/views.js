import { becomes, column, figureOf, number, shows } from "./browser.js";
import { MANY, ORDERS } from "./data.js";
import { check, equal } from "./report.js";

/** What each view shows is what the API, or another command of kaka's, says. */
export async function overview(browser, broker) {
  const page = await browser.open();
  const { topics, partitions } = await broker.api("/overview");
  equal("overview: topics", number(await figureOf(page, "Topics")), topics);
  equal("overview: partitions", number(await figureOf(page, "Partitions")), partitions.count);
  await becomes("overview: records come in", () => figureOf(page, "Records in"), (text) => /^[1-9][\d.]*k?\s*\/s$/.test(text));
  const lag = () => figureOf(page, "Groups' lag");
  await becomes("overview: the groups' lag", lag, (text) => number(text) >= ORDERS - 5000);
  for (const title of ["Records", "Bytes", "Commits", "Time from append to ack"]) {
    await shows(`overview: a line in ${title}`, page.getByRole("region", { name: title, exact: true }).locator("path.line"), { state: "attached" });
  }
  const bar = page.getByRole("img", { name: /^Memory budget: / });
  const { memory, disk } = await broker.api("/overview");
  check("overview: memory by use", (await bar.getAttribute("aria-label")).endsWith(`of ${Math.round(memory.budget_bytes / 1024 ** 2)} MiB`), await bar.getAttribute("aria-label"));
  equal("overview: a part for each use", await bar.locator("rect:not(.series-rest)").count(), Object.keys(memory.by_use).length);
  const logs = await page.getByRole("img", { name: /^Disk: logs / }).locator("rect.series-1").getAttribute("width");
  check("overview: the logs' part of the disk is to scale", Math.abs(Number(logs) / 1000 - disk.log_bytes / (disk.total_bytes ?? disk.log_bytes + disk.free_bytes)) < 0.01, logs);
  await shows("overview: the group furthest behind", page.getByRole("table", { name: "Groups furthest behind" }).getByText("archive"));
  await shows("overview: the largest topic", page.getByRole("table", { name: "Largest topics" }).getByRole("link", { name: "bulk" }));
  await page.context().close();
}

/** Between the first look at the broker and the third there is nothing to draw. */
export async function charts(browser) {
  const page = await browser.open();
  let release;
  const later = new Promise((resolve) => (release = resolve));
  let looks = 0;
  await page.route(/\/api\/v1\/overview$/, async (route) => {
    if (++looks > 2) await later;
    await route.continue();
  });
  await page.reload();
  for (const title of ["Records", "Bytes", "Commits", "Time from append to ack"]) {
    const region = page.getByRole("region", { name: title, exact: true });
    await shows(`charts: ${title} says that it fills`, region.getByText("Fills while this page is open:"));
    await shows(`charts: ${title} says for how long`, region.getByText("5 minutes in all"));
  }
  release();
  const region = page.getByRole("region", { name: "Records", exact: true });
  await becomes("charts: then there is a line", () => region.locator("path.line").first().getAttribute("d"), (path) => path.includes("L"));
  equal("charts: in its place", await region.getByText("Fills while").count(), 0);
  await page.context().close();
}

export async function topics(browser, broker) {
  const page = await browser.open("#/topics");
  const all = await broker.api("/topics?sort=name");
  equal("topics: all of them, by name", await column(page, "Topics", 1), all.items.map((topic) => topic.name));
  const listed = (await broker.kaka(["topic", "list"])).trim().split("\n").map((line) => line.split(/\s+/)[0]);
  check("topics: as `kaka topic list` has them", all.items.every((topic) => listed.includes(topic.name)), listed);

  await page.keyboard.press("/");
  await page.keyboard.type("ORD");
  await becomes("topics: / goes to the filter, which is of any case", () => column(page, "Topics", 1), (names) => names.join() === "orders");
  check("topics: the filter stands in the address", page.url().endsWith("#/topics?filter=ORD"), page.url());
  await page.reload();
  await becomes("topics: and comes from it", () => column(page, "Topics", 1), (names) => names.join() === "orders");
  await page.getByLabel("Filter topics by name").fill("nothing is called so");
  await shows("topics: says that none match", page.getByText("No topics match"));
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await becomes("topics: the filter cleared", () => column(page, "Topics", 1), (names) => names.length === all.total);

  await page.getByRole("button", { name: "Size" }).click();
  const bySize = await broker.api("/topics?sort=size&order=desc");
  await becomes("topics: by size, the largest first", () => column(page, "Topics", 1), (names) => names[0] === bySize.items[0].name);
  equal("topics: says by what it is sorted", await page.getByRole("columnheader", { name: "Size" }).getAttribute("aria-sort"), "descending");
  await page.context().close();
}

export async function topic(browser, broker) {
  const page = await browser.open("#/topics/orders");
  const described = JSON.parse(await broker.kaka(["topic", "describe", "orders", "--json"]));
  const ends = described.partitions.map((each) => each.highWatermark);
  equal("topic: the ends that `kaka topic describe` says", (await column(page, "Partitions of orders", 4)).map(number), ends);
  equal("topic: records", number(await figureOf(page, "Records")), ORDERS);
  await page.getByRole("link", { name: "Settings" }).nth(1).click();
  await shows("topic: its own setting, in words, too", page.getByRole("row", { name: /segment\.bytes 131072 128 KiB this topic/ }));
  page.expectsRefusal = true;
  await browser.go(page, "#/topics/nowhere");
  await shows("topic: one that there is not says so", page.getByText(/nowhere/).and(page.locator(".empty.bad div")));
  await page.context().close();
}

const pageFrom = (first) => `${first.toLocaleString("en")}–${(first + 49).toLocaleString("en")} of`;

/** A page of them is all that there is of ten thousand. */
export async function many(browser) {
  const page = await browser.open("#/topics/many");
  const range = page.locator(".pager .range");
  const rows = page.getByRole("table", { name: "Partitions of many" }).locator("tbody tr");
  await becomes("many: the first page", () => range.innerText(), (text) => text === `1–50 of ${MANY.toLocaleString("en")} partitions`);
  equal("many: as many rows as that", await rows.count(), 50);
  await page.keyboard.press("]");
  await becomes("many: ] turns the page", () => range.innerText(), (text) => text.startsWith("51–100 of"));
  await page.getByRole("button", { name: "Last page" }).click();
  await becomes("many: the last page", async () => (await column(page, "Partitions of many", 1)).at(-1), (text) => text === String(MANY - 1));
  await page.reload();
  await becomes("many: a page can be linked", () => range.innerText(), (text) => text.startsWith(pageFrom(MANY - 49)));
  await page.keyboard.press("[");
  await becomes("many: [ turns it back", () => range.innerText(), (text) => text.startsWith(pageFrom(MANY - 99)));
  check("many: the whole page has few elements", (await page.locator("*").count()) < 2000);
  await page.getByLabel("State").selectOption("failed");
  await shows("many: none has failed", page.getByText("No partitions match"));
  await page.context().close();
}

export async function groups(browser, broker) {
  const page = await browser.open("#/groups");
  const all = await broker.api("/groups?sort=name");
  equal("groups: all of them", await column(page, "Groups", 1), all.items.map((group) => group.group));
  await page.getByRole("link", { name: "archive" }).click();
  const offsets = page.getByRole("table", { name: "Offsets" });
  await offsets.waitFor();
  const { partitions: said } = JSON.parse(await broker.kaka(["group", "describe", "archive", "--json"]));
  const shown = (await offsets.locator("tbody tr").allInnerTexts()).map((row) => row.split("\t").slice(1, 5).map(number));
  const lags = said.map((each) => each.lag);
  equal("groups: lag of each partition, as `kaka group describe` says", shown.map((row) => row[3]), lags);
  check("groups: lag is end minus committed", shown.length === 3 && shown.every(([, committed, end, lag]) => end - committed === lag), shown);
  equal("groups: lag in all", number(await figureOf(page, "Lag")), ORDERS - 5000);
  await shows("groups: nobody reads", page.getByText("No members: nobody reads in this group now."));
  await becomes("groups: somebody reads in another", async () => (await broker.api("/groups/live")).members?.length, (length) => length === 1);
  await browser.go(page, "#/groups/live");
  const live = await broker.api("/groups/live");
  await becomes("groups: members, and what each has", () => column(page, "Members", 6), (cells) => cells.join() === "clicks 0");
  equal("groups: their ids", await column(page, "Members", 3), live.members.map((member) => member.member_id));
  await page.context().close();
}

export async function connections(browser, broker) {
  const page = await browser.open("#/connections");
  // they come and go: what the page shows is held against what is said at that time
  const both = async () => ({ shown: await column(page, "Connections", 1), said: (await broker.api("/connections?sort=age&order=desc")).items.map((item) => item.address) });
  await becomes("connections: each one's address", both, ({ shown, said }) => said.length >= 2 && shown.join() === said.join());
  const { items } = await broker.api("/connections?filter=produce");
  check("connections: who writes is there by its name", items.length > 0 && items.every((item) => item.client_id === "kaka produce"), items);
  await page.getByLabel("Filter by address or client").fill(items[0].address);
  await becomes("connections: filtered by address", () => column(page, "Connections", 1), (cells) => cells.join() === items[0].address);
  await page.context().close();
}

/** Segments are as wide as they are large, and all logs of a page share one scale. */
export async function storage(browser, broker) {
  const page = await browser.open("#/storage");
  const { items } = await broker.api("/partitions?sort=size&order=desc&limit=20");
  equal("storage: partitions by size", await column(page, "Partitions by size", 1), items.map((item) => `${item.topic}-${item.partition}`));
  const largest = items[0];
  const second = items.find((item) => item.topic === "orders");
  const width = async (item) => {
    const rects = page.getByRole("img", { name: new RegExp(`^${item.topic}-${item.partition}: `) }).locator("rect");
    await rects.first().waitFor({ state: "attached" });
    return rects.evaluateAll((all) => all.map((each) => Number(each.getAttribute("width"))));
  };
  const sum = (widths) => widths.reduce((total, each) => total + each, 0);
  const ofLargest = sum(await width(largest));
  const ofSecond = await width(second);
  check("storage: the largest is as wide as can be", Math.abs(ofLargest - 1000) < 20, ofLargest);
  check("storage: another is to the same scale", Math.abs(sum(ofSecond) / ofLargest - second.size_bytes / largest.size_bytes) < 0.005, sum(ofSecond) / ofLargest);
  const segments = await broker.api(`/topics/orders/partitions/${second.partition}/segments?limit=1000`);
  equal("storage: as many segments as the log has", ofSecond.length, segments.total);
  check("storage: there are several", segments.total > 3, segments.total);

  await browser.go(page, `#/topics/orders/partitions/${second.partition}`);
  const drawn = await width(second);
  const wanted = segments.items.map((item) => (1000 * item.size_bytes) / segments.size_bytes);
  check("storage: each segment of a partition is to scale", drawn.every((each, index) => Math.abs(each - wanted[index]) < 1), { drawn, wanted });
  equal("storage: their base offsets", (await column(page, "Segments", 1)).map(number), segments.items.map((item) => item.base_offset));
  await page.context().close();
}

export async function faults(browser) {
  const page = await browser.open("#/faults");
  await shows("faults: nothing is wrong", page.getByText("Nothing is wrong"));
  await page.context().close();
}

export async function settings(browser, broker) {
  const page = await browser.open("#/settings");
  const { items } = await broker.api("/settings");
  equal("settings: all in force", await column(page, "Settings in force", 1), items.map((item) => item.name));
  await page.getByLabel("only what is not by default").check();
  const changed = await column(page, "Settings in force", 1);
  check("settings: those that were set", changed.includes("kaka.console.write") && changed.includes("kaka.listen.port"), changed);
  check("settings: and no others", changed.length < items.length / 2, changed.length);
  const port = page.getByRole("row", { name: /kaka\.listen\.port/ });
  check("settings: its value", (await port.innerText()).includes(String(broker.port)), await port.innerText());
  await page.context().close();
}
