import { watchBroker } from "./broker.js";
import { startKeys } from "./keys.js";
import { parse } from "./router.js";
import { markCurrent, startShell } from "./shell.js";
import { connections } from "./views/connections.js";
import { faults } from "./views/faults.js";
import { group } from "./views/group.js";
import { groups } from "./views/groups.js";
import { notFound } from "./views/notfound.js";
import { overview } from "./views/overview.js";
import { partition } from "./views/partition.js";
import { settings } from "./views/settings.js";
import { storage } from "./views/storage.js";
import { topic } from "./views/topic.js";
import { topics } from "./views/topics.js";

/**
 * What a path leads to. A view is a function of the route that returns { element, stop() }; stop ends what it has running.
 *
 * @returns {function({path: string[], query: URLSearchParams})}
 */
function viewOf(path) {
  const [first = "overview", name, part, number] = path;
  switch (first) {
    case "overview":
      return overview;
    case "topics":
      return name === undefined ? topics : part === "partitions" && number !== undefined ? partition : topic;
    case "groups":
      return name === undefined ? groups : group;
    case "connections":
      return connections;
    case "storage":
      return storage;
    case "faults":
      return faults;
    case "settings":
      return settings;
    default:
      return notFound;
  }
}

let current = null;

function show() {
  const route = parse(location.hash);
  if (route.path.length === 0) {
    route.path = ["overview"];
  }
  current?.stop();
  const main = document.getElementById("main");
  current = viewOf(route.path)(route);
  main.replaceChildren(current.element);
  markCurrent(route.path[0]);
  window.scrollTo(0, 0);
}

startShell();
startKeys();
watchBroker();
addEventListener("hashchange", () => {
  show();
  document.getElementById("main").focus({ preventScroll: true }); // what is read aloud, and where Tab goes on
});
show();
