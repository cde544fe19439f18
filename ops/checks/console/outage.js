import { open } from "node:fs/promises";
import { becomes, shows } from "./browser.js";
import { check, equal } from "./report.js";
import { snap } from "./shots.js";

/** Killed, damaged, and started again: the page says what is so, and needs no reload. */
export async function outage(browser, broker) {
  const page = await browser.open("#/topics/orders");
  browser.isOutage = true;
  await broker.stop();
  await shows("outage: the page says that the broker is gone", page.getByRole("alert").getByText(/The broker does not answer since/));
  equal("outage: so does the badge", await page.locator("#state").innerText(), "not reachable");
  check("outage: what was seen is still there", (await page.locator("tbody tr").count()) === 3);
  const opacity = await page.locator("tbody td").first().evaluate((cell) => {
    let product = 1;
    for (let each = cell; each !== null; each = each.parentElement) product *= Number(getComputedStyle(each).opacity);
    return product;
  });
  check("outage: pale, but to be read", opacity > 0.5 && opacity < 1, opacity);
  await snap(page, "gone");
  await browser.go(page, "#/topics/orders").catch(() => {}); // the same page, no load
  await page.locator("#nav").getByRole("link", { name: "Groups" }).click();
  await shows("outage: another view says it, too", page.locator("main .empty.bad").getByText("The broker does not answer."));
  await snap(page, "gone-unseen");

  const log = await open(`${broker.directory}/broken-0/00000000000000000000.log`, "r+");
  await log.write(Buffer.from([0xff, 0xff, 0xff]), 0, 3, 64); // in what was acknowledged
  await log.close();
  await broker.start(true);
  await shows("outage: the view comes by itself", page.getByRole("table", { name: "Groups" }).getByText("archive"));
  await shows("outage: nothing says any more that it is gone", page.locator(".banner"), { state: "hidden" });
  browser.isOutage = false;

  await becomes("failed: one problem, says the badge", () => page.locator("#state").innerText(), (text) => text === "1 problem");
  await page.locator("#state").click();
  const { failed_partitions: failed } = await broker.api("/faults");
  equal("failed: that partition alone", failed.items.map((item) => item.topic), ["broken"]);
  await shows("failed: what is wrong", page.locator(".note.bad").getByText(failed.items[0].reason.slice(0, 40)));
  const directory = `${broker.directory}/broken-0`;
  await shows("failed: what to do, with where", page.locator(".note.bad .advice code").getByText(`kaka log check ${directory}`, { exact: true }));
  equal("failed: the reason is said once", (await page.locator("main").innerText()).split(failed.items[0].reason.slice(0, 40)).length - 1, 1);
  await shows("failed: the table says where it is", page.getByRole("table", { name: "Failed partitions" }).getByText(directory, { exact: true }));
  await shows("failed: and in the table", page.getByRole("table", { name: "Failed partitions" }).getByRole("link", { name: "broken-0" }));
  await page.getByRole("table", { name: "Failed partitions" }).getByRole("link", { name: "broken-0" }).click();
  await shows("failed: the partition says why", page.locator(".note.bad").getByText(failed.items[0].reason.slice(0, 40)));
  await browser.go(page, "#/topics/broken");
  await shows("failed: so does the topic", page.locator("tbody .badge.bad").getByText("failed"));
  await broker.kaka(["produce", "broken", "--timeout-ms", 3000], "refused\n").catch(() => {});
  await browser.go(page, "#/faults");
  await shows("faults: who was refused is counted", page.getByRole("table", { name: "Refused requests" }).locator("tbody tr"));
  await browser.go(page, "#/overview");
  await shows("failed: the overview says it first", page.locator("main .note.bad").getByText("Partition failed"));
  await page.context().close();
}

/** With kaka.console.write off nothing offers to change anything, and nothing would. */
export async function readOnly(browser, broker) {
  const page = await browser.open("#/topics");
  await shows("read-only: says so", page.locator("#writes").getByText("read-only"));
  const controls = page.getByRole("button", { name: /^(New topic|Reset offsets|Delete (topic|group|records)|Change a setting|Add partitions|Produce)$/ });
  for (const hash of ["#/topics", "#/topics/kinds", "#/topics/kinds/settings", "#/topics/kinds/messages", "#/topics/kinds/partitions/0", "#/groups/archive"]) {
    await browser.go(page, hash);
    equal(`read-only: nothing to change in ${hash}`, await controls.count(), 0);
    equal(`read-only: nor to produce in ${hash}`, await page.getByRole("link", { name: "Produce" }).count(), 0);
  }
  await browser.go(page, "#/topics/kinds/produce");
  await shows("read-only: a link to it says so", page.getByText("This console is read-only"));
  const before = await broker.api("/topics/kinds");
  const refused = await broker.post("/topics/kinds/records", { value: "x" });
  equal("read-only: the broker refuses", [refused.status, refused.error.code], [403, "read_only"]);
  equal("read-only: and stores nothing", (await broker.api("/topics/kinds")).records, before.records);
  await page.context().close();
}

/** A broker with nothing in it. */
export async function emptyBroker(browser) {
  const page = await browser.open("#/topics");
  await shows("empty: no topics, and how to have one", page.getByText("No topics yet"));
  await browser.go(page, "#/groups");
  await shows("empty: no groups", page.getByText("No groups yet"));
  await browser.go(page, "#/connections");
  await shows("empty: no connections", page.getByText("Nobody is connected"));
  await browser.go(page, "#/storage");
  await shows("empty: nothing stored", page.getByText("Nothing is stored yet"));
  await browser.go(page, "#/nonsense");
  await shows("empty: no such view", page.getByText("There is no view “nonsense”"));
  await page.context().close();
}
