import { path, post } from "../api.js";
import { field } from "../changes/newtopic.js";
import { whileWritable } from "../changes/writable.js";
import { h, setText } from "../dom.js";
import * as format from "../format.js";
import { link } from "../router.js";
import { empty } from "../states.js";

const KINDS = { text: "text", json: "JSON, checked", base64: "bytes, as base64", null: "null" };

/** Writes one message. Stored means on disk: the broker says where once it is. */
export function produce(route, topic) {
  const form = whileWritable(
    () => produceForm(topic),
    () => empty("This console is read-only", "The broker's setting ", h("code", null, "kaka.console.write = true"), " lets it produce."),
  );
  form.element.setAttribute("class", "");
  return { element: form.element, stop: form.stop };
}

function produceForm(topic) {
  const key = payload("Key", "null", 2, "Messages with one key go to one partition");
  const value = payload("Value", "json", 10);
  const partition = h("input", { type: "number", min: 0, step: 1, placeholder: "by key" });
  const headers = h("div", { class: "form" });
  const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
  const button = h("button", { type: "submit", class: "primary" }, "Produce");
  const stored = h("div", { class: "notes", role: "status" });
  const form = h(
    "form",
    { class: "form", onsubmit: submit },
    h("div", { class: "row" }, field("Partition", partition, "empty: by the key, as all clients do")),
    key.element,
    value.element,
    h("div", { class: "field" }, h("span", { class: "name" }, "Headers"), headers, h("div", null, h("button", { type: "button", class: "plain", onclick: addHeader }, "+ Add a header"))),
    wrong,
    h("div", { class: "row middle" }, button, h("span", { class: "faint" }, "or Ctrl + Enter")),
  );
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      form.requestSubmit();
    }
  });

  function addHeader() {
    const name = h("input", { type: "text", placeholder: "name", "aria-label": "Header's name", class: "header-name", required: true });
    const content = h("input", { type: "text", placeholder: "value", "aria-label": "Header's value", class: "header-value grow" });
    const line = h("div", { class: "row middle" }, name, content, h("button", { type: "button", class: "plain square", "aria-label": "Remove this header", onclick: () => line.remove() }, "✕"));
    headers.append(line);
    name.focus();
  }

  async function submit(event) {
    event.preventDefault();
    wrong.hidden = true;
    button.disabled = true;
    try {
      const answer = await post(`${path("topics", topic)}/records`, recordOf());
      const { partition: number, offset } = answer.results[0];
      const at = link(["topics", topic, "messages"], { partition: number, from: `offset:${offset}` });
      stored.prepend(h("div", { class: "note good" }, h("strong", null, "On disk"), h("span", null, h("a", { href: at }, `partition ${number}, offset ${format.count(offset)}`))));
    } catch (error) {
      setText(wrong, error.message);
      wrong.hidden = false;
    }
    button.disabled = false;
  }

  function recordOf() {
    const record = { ...key.read("key"), ...value.read("value") };
    if (partition.value !== "") {
      record.partition = Number(partition.value);
    }
    const lines = [...headers.children];
    if (lines.length > 0) {
      record.headers = lines.map((line) => ({ name: line.querySelector(".header-name").value, value: line.querySelector(".header-value").value }));
    }
    return record;
  }

  return h("div", { class: "view" }, form, stored);
}

/** A key or a value: what kind it is, and what it holds. */
function payload(title, kind, rows, hint = null) {
  const kinds = h("select", { "aria-label": `${title} is`, onchange: follow }, Object.entries(KINDS).map(([name, text]) => h("option", { value: name, selected: name === kind }, text)));
  const area = h("textarea", { rows, spellcheck: "false", "aria-label": title });
  const element = h("div", { class: "field" }, h("div", { class: "row middle" }, h("span", { class: "name" }, title), kinds, hint === null ? null : h("span", { class: "hint" }, hint)), area);
  follow();

  function follow() {
    area.hidden = kinds.value === "null";
  }

  /** @throws Error that says what is wrong with what was typed */
  function read(name) {
    switch (kinds.value) {
      case "null":
        return { [name]: null };
      case "base64":
        return { [name]: area.value.replace(/\s+/g, ""), [`${name}_encoding`]: "base64" };
      case "json":
        checkJson(title, area.value);
        return { [name]: area.value };
      default:
        return { [name]: area.value };
    }
  }

  return { element, read };
}

function checkJson(title, text) {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`${title} is no JSON: ${error.message}`);
  }
}
