import { h } from "../dom.js";
import { head } from "../head.js";
import { link } from "../router.js";
import { empty } from "../states.js";

/** An address that leads nowhere. */
export function notFound(route) {
  const element = h(
    "div",
    { class: "view" },
    head([["No such view", []]]),
    empty(`There is no view “${route.path.join("/")}”`, h("a", { href: link(["overview"]) }, "Go to the overview")),
  );
  return { element, stop() {} };
}
