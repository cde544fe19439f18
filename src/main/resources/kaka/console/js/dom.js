/**
 * Builds elements. Whatever comes from the broker becomes a text node or an attribute's value, and is never read as markup.
 *
 * h("a", { class: "name", href: "#/x", onclick: f }, "text", node, [more], null)
 */
const SVG = "http://www.w3.org/2000/svg";

/** A function is a listener, a boolean switches an attribute on or off; null and undefined are left out. */
function set(node, name, value) {
  if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (typeof value === "function") {
    node.addEventListener(name.slice(2), value); // onclick
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    set(node, name, value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/** Only where it differs: a text that is selected, or read aloud, is not disturbed. */
export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}
