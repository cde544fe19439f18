import { check } from "./report.js";

export const VIEWS = {
  overview: "#/overview",
  topics: "#/topics",
  partitions: "#/topics/orders",
  messages: "#/topics/orders/messages",
  kinds: "#/topics/kinds/messages",
  search: "#/topics/orders/messages?text=a-30",
  produce: "#/topics/orders/produce",
  "topic-settings": "#/topics/orders/settings",
  partition: "#/topics/orders/partitions/1",
  groups: "#/groups",
  group: "#/groups/live",
  connections: "#/connections",
  storage: "#/storage",
  faults: "#/faults",
  settings: "#/settings",
};

/** Logs that are drawn before a view is whole. */
const DRAWN = { storage: 4, "wide-storage": 20 };

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 360, height: 740 } },
  "phone-dark": { colorScheme: "dark", viewport: { width: 360, height: 740 } },
};

/** A picture of each view in each look, and of the windows that open over them. */
export async function shots(browser, views = VIEWS, more = true) {
  let count = 0;
  for (const [look, options] of Object.entries(LOOKS)) {
    const page = await browser.open("#/overview", options);
    const shoot = async (name) => {
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${look}.png` });
      count++;
    };
    if (more) {
      await page.waitForTimeout(look.startsWith("phone") ? 4000 : 12_000); // the charts have something to show then
    }
    for (const [name, hash] of Object.entries(views)) {
      await browser.go(page, hash);
      if (name === "kinds") {
        await page.locator(".record-line").last().click();
      }
      if (name in DRAWN) {
        await page.locator(".segments").nth(DRAWN[name] - 1).waitFor({ state: "attached" });
      }
      await shoot(name);
    }
    if (more) {
      await browser.go(page, "#/groups/archive");
      await page.getByRole("button", { name: "Reset offsets" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Preview" }).click();
      await page.getByText(/Nothing is changed yet|Nothing would change/).waitFor();
      await shoot("reset");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await shoot("keys");
    }
    await page.context().close();
  }
  check("shots: of each view, in each look", count === Object.keys(LOOKS).length * (Object.keys(views).length + (more ? 2 : 0)), count);
}

/** What an empty broker's views look like. */
export const EMPTY_VIEWS = { "empty-overview": "#/overview", "empty-topics": "#/topics", "empty-groups": "#/groups", "empty-storage": "#/storage", "empty-nonsense": "#/nonsense" };

/** Pictures of what a page shows just now, in each look: of what would not be there again after a load. */
export async function snap(page, name) {
  const { width, height } = page.viewportSize();
  for (const [look, { colorScheme, viewport = { width, height } }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${look}.png` });
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width, height });
}
