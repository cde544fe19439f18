/** What was found: a line each, and whether all of it was as it should be. */
let failed = 0;
let passed = 0;

export function check(what, isSo, found = "") {
  if (isSo) {
    passed++;
    console.log(`ok: ${what}`);
  } else {
    failed++;
    console.log(`FAILED: ${what}${found === "" ? "" : `, but: ${typeof found === "string" ? found : JSON.stringify(found)}`}`);
  }
}

export const equal = (what, found, wanted) => check(what, JSON.stringify(found) === JSON.stringify(wanted), `${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`);

/** A part that breaks off has failed; the others are tried nevertheless. */
export async function part(name, run) {
  console.log(`-- ${name}`);
  try {
    await run();
  } catch (error) {
    check(`${name} came to its end`, false, error.stack.split("\n").slice(0, 12).join("\n"));
  }
}

export function summary() {
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}
