import { h } from "./dom.js";
import { link } from "./router.js";
import { withCommands } from "./text.js";

/** What is wrong, and what to do: told anew, also to a screen reader, only where it is another. */
export function showProblems(box, problems) {
  const told = JSON.stringify(problems);
  if (box.dataset.told !== told) {
    box.dataset.told = told;
    box.replaceChildren(...problems.map(noteOf));
  }
  box.hidden = problems.length === 0;
}

const noteOf = (problem) =>
  h(
    "div",
    { class: "note bad", role: "alert" },
    h("strong", null, problem.subject === "" ? titleOf(problem) : [titleOf(problem), ": ", subjectOf(problem)]),
    h("span", null, withCommands(problem.detail)),
    problem.advice === "" ? null : h("span", { class: "advice" }, withCommands(problem.advice)),
  );

/** partition_failed: "Partition failed" */
function titleOf(problem) {
  const words = problem.problem.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** orders-0 leads to partition 0 of orders. */
function subjectOf(problem) {
  const named = problem.problem === "partition_failed" ? /^(.+)-(\d+)$/.exec(problem.subject) : null;
  return named === null ? problem.subject : h("a", { href: link(["topics", named[1], "partitions", named[2]]) }, problem.subject);
}
