import { becomes, number, PATIENCE_MS, shows } from "./browser.js";
import { LARGE_NUMBER, MARKUP, ORDERS } from "./data.js";
import { check, equal } from "./report.js";

const lines = (page) => page.locator(".record-line");
const offsets = async (page) => (await lines(page).locator(".of-offset").allInnerTexts()).map((text) => number(text.replace(/\D*offset\s*/, "")));
const values = (page) => lines(page).locator(".of-value").allInnerTexts();
const open = async (page, key) => {
  const record = page.locator(".record", { has: page.locator(".of-key", { hasText: new RegExp(`^${key}$`) }) });
  await record.locator(".record-line").click();
  return record;
};

/** Messages as they are stored: by page, from an offset, from a time; each kind of content as what it is. */
export async function browse(browser, broker) {
  const page = await browser.open("#/topics/orders/messages?partition=1");
  const { partitions } = JSON.parse(await broker.kaka(["topic", "describe", "orders", "--json"]));
  const end = partitions[1].highWatermark;
  await becomes("messages: the newest 50, the newest first", () => offsets(page), (found) => found.length === 50 && found[0] === end - 1 && found[49] === end - 50);
  const [printed] = (await broker.kaka(["consume", "orders", "--partition", 1, "--from", end - 1, "--format", "%k=%v\\n"])).trim().split("\n");
  const key = await lines(page).first().locator(".of-key").innerText();
  equal("messages: key and value that `kaka consume` prints", `${key}=${(await values(page))[0]}`, printed);
  await page.keyboard.press("]");
  await becomes("messages: older ones on the next page", async () => (await offsets(page))[0], (first) => first === end - 51);

  await page.getByLabel("From").selectOption("offset");
  await page.getByLabel("Offset", { exact: true }).fill("100");
  await page.getByRole("button", { name: "Read" }).click();
  await becomes("messages: from an offset, the oldest first", () => offsets(page), (found) => found[0] === 100 && found[49] === 149);
  check("messages: that stands in the address", page.url().endsWith("?partition=1&from=offset%3A100"), page.url());
  await page.getByRole("button", { name: "Newer" }).click();
  await becomes("messages: and on", async () => (await offsets(page))[0], (first) => first === 150);

  const { items } = await broker.api(`/topics/orders/partitions/1/records?offset=${end - 20}&max_records=1`);
  const at = await broker.api(`/topics/orders/records?partition=1&time=${items[0].timestamp}&limit=50`);
  await browser.go(page, `#/topics/orders/messages?partition=1&from=time:${items[0].timestamp}`);
  await becomes("messages: from a time", () => offsets(page), (found) => found[0] === at.items[0].offset && found.length === at.items.length);
  await page.context().close();
}

export async function kinds(browser) {
  const page = await browser.open("#/topics/kinds/messages");
  await lines(page).nth(5).waitFor();

  const json = await open(page, "json");
  equal("messages: JSON, indented, with all its digits", await json.locator(".blob").first().innerText(), `{\n  "large": ${LARGE_NUMBER},\n  "list": [\n    1,\n    true,\n    null,\n    "x"\n  ],\n  "empty": {}\n}`);
  equal("messages: headers, one with null", await json.getByRole("table", { name: "Headers" }).locator("td").allInnerTexts(), ["trace", "abc-123", "nothing", "null"]);
  await json.getByRole("button", { name: "Text" }).first().click();
  check("messages: or as it was sent", (await json.locator(".blob").first().innerText()).startsWith('{"large":'));

  const withoutKey = page.locator(".record", { hasText: "no key" });
  equal("messages: a null key is null, not text", await withoutKey.locator(".of-key .null").innerText(), "null");
  const nothing = page.locator(".record", { has: page.locator(".of-key", { hasText: /^null$/ }) }).filter({ hasNotText: "no key" });
  equal("messages: so is a null value", await nothing.locator(".of-value .null").innerText(), "null");

  const binary = await open(page, "binary");
  check("messages: binary is said to be, in its line", (await binary.locator(".of-value").innerText()).startsWith("binary 00 ff 01 fe"));
  equal("messages: and dumped", await binary.locator(".blob.hex").first().innerText(), "00000000  00 ff 01 fe 4b 41                                 ····KA");

  const markup = await open(page, "markup");
  const shown = MARKUP.replace("\u202e", "\\u202e");
  equal("messages: markup is text, and what is not seen is shown", await markup.locator(".blob").first().innerText(), shown);
  equal("messages: nothing of it was run", await page.evaluate(() => window.pwned ?? 0), 0);
  equal("messages: nor made an element", await page.locator("main img, main script").count(), 0);

  const long = await open(page, "long");
  await shows("messages: a long value is cut", long.getByText(/the beginning of 97\.7 KiB/));
  check("messages: to little", (await long.locator(".blob").first().innerText()).length < 2000);
  await long.getByRole("button", { name: "Show more of it" }).click();
  await becomes("messages: and shown whole when asked for", async () => (await long.locator(".blob").first().innerText()).length, (length) => length === 100_010);
  await page.context().close();

  const zipped = await browser.open("#/topics/zipped/messages");
  await lines(zipped).first().click();
  await shows("messages: compression is named", zipped.locator(".record-detail").getByText("zstd"));
  await zipped.context().close();
}

/** A search goes through several stretches of the log, says how far it is, can be stopped, and goes on. */
export async function search(browser) {
  const page = await browser.open("#/topics/bulk/messages?partition=0");
  let slowMs = 400;
  await page.route("**/api/v1/topics/bulk/records?**", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, slowMs));
    await route.continue();
  });
  await page.getByLabel("Text").fill("NEEDLE");
  await page.keyboard.press("Enter");
  const said = page.locator("main [role=status]").filter({ hasText: "searched" });
  await shows("search: says how far it is", said);
  const bar = page.getByRole("progressbar", { name: "Searched" });
  check("search: with a bar", (await bar.isVisible()) && (await bar.evaluate((node) => node.position)) < 1);
  await page.getByRole("button", { name: "Stop" }).click();
  await shows("search: can be stopped", page.getByText("Stopped before anything was found"));
  const requests = [];
  page.on("request", (request) => request.url().includes("text=NEEDLE") && requests.push(request.url()));
  await page.waitForTimeout(3 * slowMs);
  equal("search: asks for nothing more then", requests.length, 0);
  slowMs = 0;
  await page.getByRole("button", { name: "Go on" }).click();
  await becomes("search: goes on from there, to the oldest record", () => values(page), (found) => found.length === 1 && found[0].startsWith("needle 0"));
  await shows("search: and says that all was searched", page.getByText(/1 message found, .* all there is/));
  equal("search: what was found is marked", await page.locator(".of-value mark").first().innerText(), "needle");
  check("search: it took several stretches", requests.length > 1, requests.length);

  await browser.go(page, "#/topics/orders/messages?key=customer-7");
  const wanted = Array.from({ length: ORDERS }, (_, n) => n).filter((n) => n % 997 === 7).length;
  await becomes("search: by key", () => lines(page).count(), (count) => count === wanted);
  equal("search: only that key", [...new Set(await lines(page).locator(".of-key").allInnerTexts())], ["customer-7"]);
  await browser.go(page, "#/topics/orders/messages?text=not+in+any+of+them");
  await shows("search: says that nothing was found", page.getByText("Nothing found"));
  await page.context().close();
}

/** What is produced elsewhere appears by itself. */
export async function follow(browser, broker) {
  const page = await browser.open("#/topics/orders/messages");
  await lines(page).first().waitFor();
  await page.getByRole("button", { name: "Follow live" }).click();
  await shows("follow: says that it is live", page.getByText("Live: new messages come in at the top"));
  const before = await lines(page).count();
  await broker.kaka(["produce", "orders", "--partition", 2], "just now\n");
  await becomes("follow: a new message at the top", async () => (await values(page))[0], (value) => value === "just now");
  equal("follow: the others stay", await lines(page).count(), before + 1);
  await page.getByRole("button", { name: "Stop following" }).click();
  await broker.kaka(["produce", "orders", "--partition", 2], "and later\n");
  await page.waitForTimeout(Math.min(2500, PATIENCE_MS));
  equal("follow: not any more", (await values(page))[0], "just now");
  await page.context().close();
}
