// The property box: state, check, cancel; a counterexample opens in the stepper.

import { $, ask, chip, el, newJob, notice, trouble, working } from "/page.js";
import { eventOf, go } from "/stepper.js";

const VERDICTS = { holds: ["✓", "holds"], refuted: ["✗", "refuted"], undecided: ["?", "undecided"] };
const SCOPES = { run: "this run", draws: "every draw of this problem", shape: "every problem of this shape" };
let shared = null;
let open = null;
let job = "";

export function begin(state, opener) {
  shared = state;
  open = opener;
  $("property-form").addEventListener("submit", (event) => { event.preventDefault(); check(); });
  $("cancel").addEventListener("click", () => ask("cancel", { job }).catch(trouble));
  $("shelf-button").addEventListener("click", toggleShelf);
}

async function toggleShelf() {
  const box = $("shelf");
  const opens = box.hidden;
  box.hidden = !opens;
  $("shelf-button").setAttribute("aria-expanded", String(opens));
  if (!opens || box.childElementCount) return;
  working(box, "The shelf…");
  try {
    const { entries } = await ask("shelf");
    box.replaceChildren(el("ul", {}, ...entries.map((entry) => el("li", {},
      el("button", { type: "button", class: "shelf-entry", onclick: () => take(entry) },
        entry.claim ? chip(entry.claim, "claim") : null,
        el("span", {}, entry.says), el("span", { class: "quiet" }, `${entry.verdict}, ${SCOPES[entry.scope]}; ${entry.reference}`),
        el("code", {}, entry.property))))));
  } catch (error) {
    box.replaceChildren(el("p", { class: "quiet" }, error.message));
  }
}

async function take(entry) {
  $("property").value = entry.property;
  $("scope").value = entry.scope;
  await open(entry.problem, entry.name);
  $("property").focus();
  check();
}

async function check() {
  const property = $("property").value.trim() || $("property").placeholder;
  $("property").value = property;
  if (job) await ask("cancel", { job }).catch(trouble);
  const mine = job = newJob();
  const text = shared.text;
  const scope = $("scope").value;
  const box = $("verdict");
  const began = performance.now();
  working(box, `Checking over ${SCOPES[scope]}, for at most ${shared.seconds} s…`);
  const telling = setInterval(() => {
    if (job === mine) working(box, `Checking over ${SCOPES[scope]}: ${Math.round((performance.now() - began) / 1000)} s of at most ${shared.seconds} s…`);
  }, 1000);
  $("cancel").hidden = false;
  $("check").disabled = true;
  try {
    const result = await ask("check", { text, property, scope, job: mine });
    if (job === mine) show(result, shared.name);
  } catch (error) {
    if (job !== mine) return;
    if (error.kind === "cancelled" || error.kind === "budget") show({ verdict: "undecided", reason: error.message, scope, property, values: {} });
    else box.replaceChildren(el("pre", { class: "wrong" }, error.message));
  } finally {
    clearInterval(telling);
    if (job === mine) {
      job = "";
      $("cancel").hidden = true;
      $("check").disabled = false;
    }
  }
}

function show(result, name) {
  const [sign, word] = VERDICTS[result.verdict];
  const box = $("verdict");
  const how = [result.method && result.method !== "none" ? `by ${result.method}` : "", result.scope_text || SCOPES[result.scope],
    result.cases ? `${result.cases} case${result.cases === 1 ? "" : "s"}` : ""].filter(Boolean).join(" · ");
  const parts = [el("p", { class: "verdict-line" }, el("strong", { class: `badge ${result.verdict}`, id: "verdict-word" }, `${sign} ${word}`),
    el("code", {}, result.property), el("span", { class: "quiet" }, how))];
  if (result.reason) parts.push(el("p", { id: "verdict-reason" }, result.reason));
  const values = Object.entries(result.values || {});
  if (values.length) {
    parts.push(el("dl", { class: "values" }, ...values.flatMap(([key, value]) => [el("dt", {}, el("code", {}, key)),
      el("dd", { class: "num" }, value.replaceAll("-", "−"))])));
  }
  if (result.counterexample) {
    parts.push(el("button", { type: "button", class: "primary", id: "open-counterexample",
      onclick: () => openCounterexample(result, name) }, "Open the counterexample in the stepper"));
  }
  box.replaceChildren(...parts);
}

async function openCounterexample(result, name) {
  const itself = result.counterexample === shared.text;
  if (!itself && !(await open(result.counterexample, name ? `${name} counterexample` : "counterexample"))) return;
  await go(eventOf(shared.run.timeline, result.at));
  notice("The counterexample is open: this is where it fails.");
  $("main").focus();
}
