import { becomes, column, shows } from "./browser.js";
import { check, equal } from "./report.js";

/** Everything can be reached without a pointer, and has a name for who does not see it. */
export async function shortcuts(browser) {
  const page = await browser.open("#/overview");
  const path = () => new URL(page.url()).hash;
  for (const [key, view] of Object.entries({ t: "topics", g: "groups", c: "connections", s: "storage", f: "faults", e: "settings", o: "overview" })) {
    await Promise.all([page.keyboard.press("g"), page.keyboard.press(key)]); // one right after the other, however busy the machine is
    await becomes(`keys: g ${key} goes to ${view}`, path, (hash) => hash === `#/${view}`);
    await becomes(`keys: ${view} is marked as where one is`, () => page.locator("#nav a[aria-current=page]").getAttribute("href"), (href) => href === `#/${view}`);
  }

  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await shows("keys: ? shows the shortcuts", help.getByText("Next, previous line"));
  await page.keyboard.press("Escape");
  await shows("keys: Escape closes them", help, { state: "detached" });

  await browser.go(page, "#/topics");
  const names = await column(page, "Topics", 1);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  equal("keys: j goes down", await page.evaluate(() => document.activeElement.textContent), names[1]);
  await page.keyboard.press("k");
  equal("keys: k goes up", await page.evaluate(() => document.activeElement.textContent), names[0]);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  equal("keys: the focus is seen", outline, "solid");
  await page.keyboard.press("Enter");
  await becomes("keys: Enter opens", path, (hash) => hash === `#/topics/${names[0]}`);
  await page.locator(".crumbs a").first().waitFor(); // the address is there before the view is
  await page.keyboard.press("u");
  await becomes("keys: u goes up a level", path, (hash) => hash === "#/topics");
  await page.getByLabel("Filter topics by name").waitFor(); // the address is there before the view is
  await page.keyboard.press("/");
  await page.keyboard.type("gt?");
  equal("keys: in a field they are letters", await page.getByLabel("Filter topics by name").inputValue(), "gt?");
  await page.keyboard.press("Escape");
  equal("keys: Escape leaves it", await page.evaluate(() => document.activeElement.tagName), "BODY");

  await browser.go(page, "#/topics/orders/messages");
  await page.locator(".record-line").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await shows("keys: a message opens", page.locator(".record.is-open"));

  await page.reload();
  await page.keyboard.press("Tab");
  equal("keys: the first Tab offers to skip the navigation", await page.evaluate(() => document.activeElement.textContent), "Skip to content");
  await page.keyboard.press("Enter");
  equal("keys: and does", await page.evaluate(() => document.activeElement.id), "main");
  await page.context().close();
}

/** The system's, until one is chosen; that one is remembered. */
export async function themes(browser) {
  const page = await browser.open("#/overview", { colorScheme: "dark" });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  equal("themes: dark where the system is", await theme(), "dark");
  const dark = await ground();
  await page.emulateMedia({ colorScheme: "light" });
  await becomes("themes: follows the system", theme, (name) => name === "light");
  check("themes: they look different", (await ground()) !== dark);
  await page.keyboard.press("l");
  equal("themes: l switches", await theme(), "dark");
  await page.reload();
  equal("themes: what was chosen is remembered", await theme(), "dark");
  await page.getByRole("button", { name: "Light or dark" }).click();
  equal("themes: so does the button", await theme(), "light");
  for (const wanted of ["light", "dark"]) {
    await page.evaluate((name) => (document.documentElement.dataset.theme = name), wanted);
    const poor = (await page.evaluate(contrasts)).filter(([, , ratio]) => ratio < 4.5);
    equal(`themes: text can be read, ${wanted}`, poor, []);
  }
  await page.context().close();
}

/** WCAG's contrast of each colour of text on each ground that it stands on. Runs in the page. */
function contrasts() {
  const style = getComputedStyle(document.documentElement);
  const luminance = (name) => {
    const hex = style.getPropertyValue(name).trim();
    const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const grounds = ["--ground", "--surface", "--sunken", "--hover"];
  const pairs = ["--text", "--muted", "--accent", "--json-key", "--json-string", "--json-number", "--json-word"].flatMap((text) => grounds.map((ground) => [text, ground]));
  pairs.push(["--accent", "--accent-soft"], ["--good", "--good-soft"], ["--warn", "--warn-soft"], ["--bad", "--bad-soft"], ["--warn", "--surface"], ["--bad", "--surface"], ["--on-accent", "--accent"]);
  return pairs.map(([text, ground]) => {
    const [low, high] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
    return [text, ground, (high + 0.05) / (low + 0.05)];
  });
}

/** What can be pressed or filled in has a name, in every view. */
export async function nameless(browser, views) {
  const page = await browser.open();
  for (const [name, hash] of Object.entries(views)) {
    await browser.go(page, hash);
    const found = await page.evaluate(() =>
      [...document.querySelectorAll("a, button, input, select, textarea, [role=img]")]
        .filter((node) => node.checkVisibility())
        .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length > 0))
        .map((node) => node.outerHTML.slice(0, 120)),
    );
    equal(`names: nothing without one in ${name}`, found, []);
  }
  await page.context().close();
}

/** At 360 pixels nothing has to be scrolled sideways but tables, and the navigation is there when called for. */
export async function phone(browser, views) {
  const page = await browser.open("", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  for (const [name, hash] of Object.entries(views)) {
    await browser.go(page, hash);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - 360);
    check(`phone: ${name} fits`, over <= 0, `${over} pixels too wide`);
  }
  const link = page.locator("#nav").getByRole("link", { name: "Groups" });
  check("phone: the navigation is out of the way", !(await link.isVisible()));
  await page.getByRole("button", { name: "Menu" }).click();
  await link.click();
  await becomes("phone: and leads on", () => page.url(), (url) => url.endsWith("#/groups"));
  await shows("phone: then it is away again", link, { state: "hidden" });
  await page.context().close();
}
