import { becomes, column, figureOf, number, shows } from "./browser.js";
import { check, equal } from "./report.js";

const committed = async (broker, group) => (await broker.api(`/groups/${group}`)).items.map((item) => item.committed);

/** What is done in the page is done in the broker. */
export async function produce(browser, broker) {
  const page = await browser.open("#/topics/kinds/produce");
  await page.getByLabel("Value", { exact: true }).fill('{"from": "the page"');
  await page.getByRole("button", { name: "Produce" }).click();
  await shows("produce: what is no JSON is not sent", page.getByText(/Value is no JSON/));
  await page.getByLabel("Value", { exact: true }).fill('{"from": "the page"}');
  await page.getByLabel("Key is").selectOption("text");
  await page.getByLabel("Key", { exact: true }).fill("page");
  await page.getByRole("button", { name: "+ Add a header" }).click();
  await page.getByLabel("Header's name").fill("who");
  await page.getByLabel("Header's value").fill("somebody");
  await page.getByLabel("Value", { exact: true }).press("Control+Enter");
  const stored = page.locator(".note.good a");
  await stored.waitFor();
  const [, partition, offset] = /partition (\d+), offset (\d+)/.exec(await stored.innerText());
  equal("produce: stored where it says", (await broker.kaka(["consume", "kinds", "--partition", partition, "--from", offset, "--format", "%k=%v\\n"])).trim(), 'page={"from": "the page"}');
  const record = await broker.api(`/topics/kinds/partitions/${partition}/records/${offset}`);
  equal("produce: with its header", record.headers, [{ name: "who", value: "somebody" }]);
  await stored.click();
  await shows("produce: the link leads to it", page.locator(".record-line", { hasText: "the page" }));
  await page.context().close();
}

/** The oldest records of a partition, up to an offset that is typed. */
export async function deletion(browser, broker) {
  await broker.kaka(["topic", "create", "trimmed"]);
  await broker.kaka(["produce", "trimmed"], "a\nb\nc\nd\ne\n");
  const page = await browser.open("#/topics/trimmed/partitions/0");
  await page.getByRole("button", { name: "Delete records" }).click();
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: "Delete records" });
  await dialog.getByLabel("Type trimmed-0 to confirm").fill("trimmed-0");
  await shows("deletion: nothing is chosen at first", dialog.getByText("Nothing is deleted yet"));
  await dialog.getByLabel("Before offset").fill("2");
  await shows("deletion: says how much it is", dialog.getByText("2 offsets will be gone for good"));
  await dialog.getByLabel("Type trimmed-0 to confirm").fill("trimmed");
  check("deletion: not without the name typed", await button.isDisabled());
  await dialog.getByLabel("Type trimmed-0 to confirm").fill("trimmed-0");
  await button.click();
  await dialog.waitFor({ state: "detached" });
  await becomes("deletion: the page follows", () => figureOf(page, "Log start"), (text) => text === "2");
  equal("deletion: the records are gone", await broker.kaka(["consume", "trimmed", "--from", "earliest"]), "c\nd\ne\n");
  await page.context().close();
}

/** First what would be, then it. */
export async function reset(browser, broker) {
  const page = await browser.open("#/groups/archive");
  const before = await committed(broker, "archive");
  await page.getByRole("button", { name: "Reset offsets" }).click();
  const dialog = page.getByRole("dialog");
  check("reset: nothing to confirm without a preview", await dialog.getByRole("button", { name: /^Reset/ }).isDisabled());
  await dialog.getByRole("button", { name: "Preview" }).click();
  await shows("reset: the preview", dialog.getByText(/would change\. Nothing is changed yet/));
  const from = (await column(page, "What would change", 2)).map(number);
  equal("reset: from where each is", [...from].sort(), [...before].sort());
  equal("reset: to the oldest", (await column(page, "What would change", 3)).map(number), from.map(() => 0));
  equal("reset: nothing is changed by it", await committed(broker, "archive"), before);
  await dialog.getByLabel("Go on from").selectOption("latest");
  check("reset: another target wants another preview", await dialog.getByRole("button", { name: /^Reset/ }).isDisabled());
  await dialog.getByLabel("Go on from").selectOption("earliest");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("button", { name: /^Reset \d partitions?/ }).click();
  await dialog.waitFor({ state: "detached" });
  equal("reset: done", await committed(broker, "archive"), before.map(() => 0));
  const { items } = await broker.api("/groups/archive");
  const all = items.reduce((sum, item) => sum + item.end, 0);
  await becomes("reset: the page follows", async () => number(await figureOf(page, "Lag")), (lag) => lag === all);

  page.expectsRefusal = true;
  await browser.go(page, "#/groups/live");
  await page.getByRole("button", { name: "Reset offsets" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Preview" }).click();
  await shows("reset: not while the group has members", page.getByRole("dialog").getByText(/Stop its members first/));
  await page.context().close();
}

export async function topics(browser, broker) {
  const page = await browser.open("#/topics");
  await page.getByRole("button", { name: "New topic" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("made-here");
  await page.getByRole("dialog").getByLabel("Partitions").fill("2");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await shows("changes: the new topic's view", page.getByRole("heading", { name: "made-here" }));
  equal("changes: it is there", (await broker.api("/topics/made-here")).partitions, 2);
  page.expectsRefusal = true;
  await browser.go(page, "#/topics");
  await page.getByRole("button", { name: "New topic" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("made-here");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await shows("changes: a name that is taken is refused, and the window says so", page.getByRole("dialog").locator(".wrong"));
  await page.keyboard.press("Escape");
  page.expectsRefusal = false;

  await browser.go(page, "#/topics/made-here/settings");
  await page.getByRole("button", { name: "Change a setting" }).click();
  await page.getByRole("dialog").getByLabel("Setting").fill("retention.ms");
  await page.getByRole("dialog").getByLabel("Value").fill("3600000");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await shows("changes: a setting, in words", page.getByRole("row", { name: /retention\.ms 3600000 1 h this topic/ }));
  await page.getByRole("button", { name: "Add partitions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await becomes("changes: one partition more", async () => (await broker.api("/topics/made-here")).partitions, (count) => count === 3);
  await page.getByRole("button", { name: "Delete topic" }).click();
  const button = page.getByRole("dialog").getByRole("button", { name: "Delete topic" });
  check("changes: not deleted without its name typed", await button.isDisabled());
  await page.getByLabel("Type made-here to confirm").fill("made-here");
  await button.click();
  await becomes("changes: deleted", async () => (await broker.api("/topics/made-here")).status, (status) => status === 404);
  await page.context().close();
}
