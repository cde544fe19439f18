import { chromium } from "playwright-core";
import { check } from "./report.js";

export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60_000);

/** Pages in a real Chromium, and what goes wrong in them. */
export class Browser {
  static async launch(home) {
    const browser = new Browser();
    browser.home = home;
    browser.chromium = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
    browser.complaints = [];
    browser.strangers = new Set();
    browser.isOutage = false; // then the browser itself says of each request that nobody answers
    return browser;
  }

  /** @param options of playwright's newContext */
  async open(hash = "", options = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1366, height: 860 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => {
      const isRefused = message.text().startsWith("Failed to load resource"); // of an answer that says no, too: the page shows that
      if (["error", "warning"].includes(message.type()) && !(isRefused && (this.isOutage || page.expectsRefusal))) {
        this.complaints.push(`${message.text()} (${page.url()})`);
      }
    });
    page.on("response", async (response) => {
      if (response.status() >= 400 && !this.isOutage && !page.expectsRefusal) {
        this.complaints.push(`${response.status()} ${response.url()}: ${(await response.text().catch(() => "")).slice(0, 300)}`);
      }
    });
    page.on("pageerror", (error) => this.complaints.push(`${error.stack} (${page.url()})`));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== this.home) {
        this.strangers.add(request.url());
      }
    });
    await this.go(page, hash);
    return page;
  }

  /** Another hash is no load of the page: it goes there as a link does, and is there when the page has put up the view. */
  async go(page, hash) {
    if (page.url().startsWith(this.home)) {
      await page.evaluate(
        (wanted) =>
          new Promise((resolve) => {
            if (location.hash === wanted) {
              resolve();
            } else {
              addEventListener("hashchange", resolve, { once: true }); // after the page's own, which came first
              location.hash = wanted;
            }
          }),
        hash,
      );
    } else {
      await page.goto(`${this.home}/${hash}`);
    }
    await page.locator("#state.good, #state.bad, #state.warn").waitFor();
    await page.waitForFunction(() => document.querySelector("main .loading") === null);
  }

  checkQuiet(what) {
    check(`${what}: nothing in the browser's console`, this.complaints.length === 0, [...new Set(this.complaints)].slice(0, 5));
    check(`${what}: no request to another host`, this.strangers.size === 0, [...this.strangers]);
    this.complaints = [];
    this.strangers.clear();
  }

  /** Pages that a part has left open because it broke off. */
  async closePages() {
    await Promise.all(this.chromium.contexts().map((context) => context.close()));
    this.isOutage = false;
  }

  close() {
    return this.chromium.close();
  }
}

/** Waits until the page shows it, and says whether it did. */
export async function shows(what, locator, options = {}) {
  try {
    await locator.first().waitFor({ timeout: PATIENCE_MS, ...options });
    check(what, true);
    return true;
  } catch (error) {
    check(what, false, error.message.split("\n").slice(0, 4).join(" "));
    return false;
  }
}

/** Waits until run() is what is wanted. */
export async function becomes(what, run, isWanted) {
  const giveUp = Date.now() + PATIENCE_MS;
  let found = await run();
  while (!isWanted(found) && Date.now() < giveUp) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await run();
  }
  check(what, isWanted(found), found);
}

/** The number that a figure, or a cell, shows: 1,234 */
export const number = (text) => Number(text.replaceAll(",", ""));

export const figureOf = async (page, name) => (await page.locator(".figure", { has: page.locator(".name", { hasText: new RegExp(`^${name}$`) }) }).locator(".value").innerText()).trim();

/** Texts of a table's column. */
export async function column(page, label, index) {
  return page.getByRole("table", { name: label }).locator(`tbody tr td:nth-child(${index})`).allInnerTexts();
}
