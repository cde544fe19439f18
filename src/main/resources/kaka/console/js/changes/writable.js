import { broker, isWritable } from "../broker.js";
import { h } from "../dom.js";

/**
 * Controls that change something: there only while the broker says that writing is on.
 *
 * @param make the controls
 * @param otherwise what stands there else; nothing, where not given
 */
export function whileWritable(make, otherwise = () => null) {
  const element = h("span", { class: "row middle" });
  let shown = null;

  function follow() {
    if (broker.overview !== null && shown !== isWritable()) {
      shown = isWritable();
      element.replaceChildren(...[shown ? make() : otherwise()].flat().filter((node) => node !== null));
      element.hidden = element.childNodes.length === 0;
    }
  }

  element.hidden = true;
  broker.addEventListener("change", follow);
  follow();
  return { element, stop: () => broker.removeEventListener("change", follow) };
}
