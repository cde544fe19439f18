// The console's views against a broker: node check.js, by console.sh, which says in the environment where everything is.
import { Broker } from "./broker.js";
import { Browser } from "./browser.js";
import * as changes from "./changes.js";
import { fill, MANY, traffic } from "./data.js";
import { nameless, phone, shortcuts, themes } from "./keys.js";
import { browse, follow, kinds, search } from "./messages.js";
import { emptyBroker, outage, readOnly } from "./outage.js";
import { part, summary } from "./report.js";
import { fillWide, routes, wide, WIDE_VIEWS } from "./scale.js";
import { EMPTY_VIEWS, shots, VIEWS } from "./shots.js";
import * as views from "./views.js";

const NAMES = ["empty", "views", "many", "wide", "messages", "keys", "shots", "changes", "outage", "readonly"];
const wanted = (process.env.PARTS ?? NAMES.join(" ")).split(/\s+/).filter((name) => name !== "");
const unknown = wanted.filter((name) => !NAMES.includes(name));
if (unknown.length > 0 || wanted.length === 0) {
  console.error(`${unknown.length > 0 ? `no such part: ${unknown.join(" ")}` : "no part is named"}; there are: ${NAMES.join(" ")}`);
  process.exit(2);
}

const broker = await Broker.make(`${process.env.WORK}/data`);
const browser = await Browser.launch(broker.home);
let endTraffic = () => {};

/** A broker of its own: it needs most of the descriptors there are. */
async function withManyPartitions(name, fillIt, look) {
  const large = await Broker.make(`${process.env.WORK}/${name}`);
  await large.start(true, "-Dkaka.connections.max=20");
  await fillIt(large);
  const other = await Browser.launch(large.home);
  try {
    await look(other, large);
    other.checkQuiet(name);
  } finally {
    await other.close();
    await large.stop();
  }
}

const manyPartitions = () =>
  withManyPartitions("many", (large) => large.kaka(["topic", "create", "many", "--partitions", MANY]), async (other) => {
    await views.many(other);
    await shots(other, { many: "#/topics/many" }, false);
  });

const manyTopics = () =>
  withManyPartitions("wide", fillWide, async (other, large) => {
    await routes(large);
    await wide(other, large);
    await shots(other, WIDE_VIEWS, false);
  });

const PARTS = {
  empty: { empty: () => emptyBroker(browser), "shots of nothing": () => shots(browser, EMPTY_VIEWS, false) },
  views: Object.fromEntries(Object.entries(views).filter(([name]) => name !== "many").map(([name, run]) => [name, () => run(browser, broker)])),
  many: { many: manyPartitions },
  wide: { wide: manyTopics },
  messages: { browse: () => browse(browser, broker), kinds: () => kinds(browser), search: () => search(browser), follow: () => follow(browser, broker) },
  keys: { shortcuts: () => shortcuts(browser), themes: () => themes(browser), nameless: () => nameless(browser, VIEWS), phone: () => phone(browser, VIEWS) },
  shots: { shots: () => shots(browser, VIEWS) },
  changes: { produce: () => changes.produce(browser, broker), deletion: () => changes.deletion(browser, broker), reset: () => changes.reset(browser, broker), topics: () => changes.topics(browser, broker) },
  outage: {
    outage: () => outage(browser, broker),
    "shots of faults": () => shots(browser, { "faults-failed": "#/faults", "overview-failed": "#/overview" }, false),
  },
  readonly: { readonly: () => readOnly(browser, broker) },
};

async function run() {
  await broker.start(true);
  let isFilled = false;
  for (const name of wanted) {
    if (name !== "empty" && !isFilled) {
      await fill(broker);
      endTraffic = traffic(broker);
      isFilled = true;
    }
    if (name === "readonly") {
      await broker.stop("SIGTERM");
      await broker.start(false);
    }
    for (const [title, task] of Object.entries(PARTS[name])) {
      await part(title, task);
      browser.checkQuiet(title);
      await browser.closePages();
    }
  }
}

await part("the check", run);
endTraffic();
await browser.close();
await broker.stop();
console.log(`screenshots: ${process.env.SHOTS}`);
process.exit(summary() ? 0 : 1);
