// The stepper: one event at a time, with its rule, the responses, the pictures and the ledger.

import { $, ask, el, inFull, number, trouble } from "/page.js";

const KINDS = {
  start: "start", "outer-iteration": "freeze", draw: "draw", reward: "reward", group: "group", arithmetic: "numbers",
  gradient: "gradient", membership: "domain", apply: "apply", stop: "stop", outcome: "outcome",
};
const CALLS = [
  ["draws", "response draws", "T·M·G"], ["gradient_attempts", "gradient attempts", "T·K"],
  ["membership_calls", "membership calls", "T·K"], ["steps_applied", "steps applied", "T·K"],
  ["outer_iterations_started", "outer iterations", "T"],
];
const AHEAD = 12;

let text = "";
let run = null;
let views = [];
let place = 0;
let shownPicture = 0;
let contracts = null;

export const at = () => place;

export function opened(newText, newRun) {
  text = newText;
  run = newRun;
  views = [];
  contracts = null;
  shownPicture = 0;
  for (const view of run.views) views[view.index] = view;
  place = run.at;
  $("scrub").max = run.timeline.length - 1;
  drawEvents();
  draw();
  checkContracts();
}

async function checkContracts() {
  const asked = text;
  $("contracts-summary").textContent = "Contracts: being checked…";
  try {
    const found = await ask("contracts", { text: asked });
    if (asked === text) { contracts = found; drawContracts(); }
  } catch (error) {
    if (asked === text) $("contracts-summary").textContent = `Contracts: ${error.message}`;
  }
}

let failed = false;
export async function go(to) {
  if (!run) return;
  const before = place;
  place = Math.max(0, Math.min(run.timeline.length - 1, to));
  if (!views[place]) {
    const asked = text;
    const wanted = place;
    try {
      const answer = await ask("views", { text: asked, first: wanted, count: 1 });
      if (asked !== text) return;
      views[wanted] = answer.views[0];
    } catch (error) {
      if (asked !== text || wanted !== place) return;
      place = before; // what is still shown
      failed = true;
      trouble(error);
      return;
    }
    if (wanted !== place) return;
  }
  if (failed) trouble(null);
  failed = false;
  draw();
  dispatchEvent(new Event("stepped"));
}

let fetching = false;
async function ahead() {
  if (fetching) return;
  const first = [...Array(AHEAD).keys()].map((i) => place + i).find((i) => i < run.timeline.length && !views[i]);
  if (first === undefined) return;
  fetching = true;
  const asked = text;
  try {
    const answer = await ask("views", { text: asked, first, count: 3 });
    if (asked === text) for (const view of answer.views) views[view.index] = view;
  } catch (error) {
    return;
  } finally {
    fetching = false;
  }
  if (asked === text) ahead();
}

function drawEvents() {
  const items = run.timeline.map((entry, i) => {
    const item = el("li", { class: `kind-${entry.kind}` },
      el("button", { type: "button", "data-at": i, tabindex: "-1", onclick: () => go(i) },
        el("span", { class: "mark", "aria-hidden": "true" }), el("span", {}, entry.label)));
    return item;
  });
  if (run.ended) items.push(el("li", { class: "ended" }, run.ended));
  $("events").replaceChildren(...items);
}

function draw() {
  const view = views[place];
  for (const old of $("events").querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  const now = $("events").querySelector(`[data-at="${place}"]`);
  if (now) {
    now.setAttribute("aria-current", "step");
    const box = $("events");
    const top = now.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 2;
  }
  $("scrub").value = place;
  $("scrub").setAttribute("aria-valuetext", `event ${place + 1} of ${run.timeline.length}: ${view.title}`);
  $("position").textContent = `${place + 1} / ${run.timeline.length}`;
  $("first").disabled = $("back").disabled = place === 0;
  $("forward").disabled = $("leap").disabled = $("stop").disabled = place === run.timeline.length - 1;
  $("event-kind").textContent = KINDS[view.kind] || view.kind;
  $("event-kind").className = `chip kind-${view.kind}`;
  $("event-place").textContent = view.t ? `outer iteration ${view.t}${view.k ? `, inner step ${view.k}` : ""}` : "before the run";
  $("event-title").textContent = view.title;
  $("event-says").textContent = view.says;
  $("event-formulas").replaceChildren(...view.formulas.map((formula) => el("div", { drawn: formula, tabindex: "-1" })));
  $("event-conditions").replaceChildren(...view.conditions.map((condition) =>
    el("li", { class: condition.holds ? "yes" : "no" }, el("span", { drawn: condition.formula }),
      el("span", { class: "sign" }, condition.holds ? "✓ holds" : "✗ fails"))));
  drawState(view);
  drawResponses(view);
  $("terms").innerHTML = view.terms;
  drawLedger(view);
  drawContracts();
  drawPicture(view);
  ahead();
}

function drawState(view) {
  const parts = [];
  const many = view.theta.length > 1;
  const entries = view.theta.slice(0, 8).map((entry, i) =>
    el("div", { class: "entry" }, many ? el("span", { class: "quiet" }, `θ${sub(i + 1)} = `) : null, inFull(entry)));
  if (view.theta.length > 8) entries.push(el("div", { class: "quiet" }, `and ${view.theta.length - 8} more`));
  parts.push(el("div", {}, el("dt", {}, "θ"), el("dd", { id: "theta" }, ...entries)));
  if (view.objective) {
    parts.push(el("div", {}, el("dt", {}, `F${sub(view.t)}(θ)`), el("dd", { id: "objective" }, inFull(view.objective))));
  }
  $("event-state").replaceChildren(...parts);
}

const sub = (i) => String(i).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

const GRADIENTS = { alive: "alive", cut: "cut by the clip", kink: "kink", flat: "does not move", zero: "A = 0", undecided: "undecided" };

function drawResponses(view) {
  if (!view.rows.length) {
    $("responses").replaceChildren(el("p", { class: "quiet" }, "Nothing is drawn yet in this outer iteration."));
    return;
  }
  const several = run.prompts.length > 1;
  const known = view.rows.some((row) => row.ratio);
  const columns = [
    several && ["prompt", (row) => row.prompt, { scope: "row" }],
    ["draw", (row) => String(row.i)],
    ["response", (row) => row.response, { class: "response-name" }],
    ["reward", (row) => number(row.reward)],
    known && ["A", (row) => number(row.advantage)],
    known && ["ratio ρ", (row) => number(row.ratio)],
    known && ["side of the clip", (row) => (row.side ? el("span", { class: "side" }, gauge(row), row.side) : "–")],
    known && ["term", (row) => number(row.term)],
    known && ["gradient", (row) => (row.gradient ? el("span", { class: `alive ${row.gradient}`, title: row.gradient_says }, GRADIENTS[row.gradient]) : "–")],
  ].filter(Boolean);
  $("responses").replaceChildren(el("table", {},
    el("thead", {}, el("tr", {}, ...columns.map(([head]) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...view.rows.map((row) => el("tr", { class: row.gradient === "kink" ? "kink" : "" },
      ...columns.map(([head, cell, attributes]) => el(attributes?.scope ? "th" : "td", { "data-head": head, ...attributes }, cell(row))))))));
}

const SVG = "http://www.w3.org/2000/svg";

// A ratio against the clip interval: the band is [1 - epsilon, 1 + epsilon].
function gauge(row) {
  const epsilon = run.epsilon.drawn;
  const reach = Math.max(2 * epsilon, 1e-9);
  const x = (value) => 4 + 52 * (Math.max(-reach, Math.min(reach, value - 1)) + reach) / (2 * reach);
  const svg = document.createElementNS(SVG, "svg");
  const set = (tag, attributes) => {
    const part = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    svg.append(part);
  };
  svg.setAttribute("class", "gauge");
  svg.setAttribute("viewBox", "0 0 60 14");
  svg.setAttribute("aria-hidden", "true");
  set("rect", { class: "clip-band", x: x(1 - epsilon), y: 2, width: x(1 + epsilon) - x(1 - epsilon), height: 10 });
  set("line", { class: "axis", x1: 4, x2: 56, y1: 7, y2: 7 });
  set("circle", { class: `response ${row.gradient}`, cx: x(row.ratio.drawn), cy: 7, r: 4 });
  return svg;
}

function drawLedger(view) {
  $("ledger").replaceChildren(...CALLS.map(([key, label, bound]) => {
    const made = view.calls[key];
    const most = run.bounds[key];
    return el("div", { class: "call" },
      el("span", {}, label), el("span", { class: "num" }, `${made} of ${most}`), el("span", { class: "quiet" }, bound),
      el("meter", { min: 0, max: most, value: made, "aria-label": `${label}: ${made} of at most ${most}` }));
  }));
  if (place === run.timeline.length - 1 && run.ledger) {
    const rest = ["mass_evaluations", "reward_evaluations", "square_roots", "logarithms", "exponentials", "comparisons"];
    $("ledger").append(el("p", { class: "quiet rest" }, rest.filter((key) => run.ledger[key])
      .map((key) => `${run.ledger[key]} ${key.replaceAll("_", " ")}`).join(" · ")));
  }
}

function drawContracts() {
  if (!contracts) return;
  const checked = contracts.events[place] || [];
  const open = checked.filter(([, decided]) => !decided).length;
  const claims = [...new Set(checked.flatMap(([clause]) => contracts.clauses[clause].claims))].sort();
  const summary = $("contracts-summary");
  if (!contracts.on) summary.textContent = "Contracts are off";
  else if (contracts.ended && contracts.ended.startsWith("ContractViolation")) summary.textContent = contracts.ended;
  else {
    const how = open ? `, ${open} only consistent with the enclosures` : ", all held";
    summary.replaceChildren(`${checked.length} contracts were checked on the way here${checked.length ? how : ""} `,
      ...claims.slice(0, 12).map((claim) => el("span", { class: "chip claim" }, claim)));
  }
  $("contracts-list").replaceChildren(...checked.map(([clause, decided, left]) => {
    const { of, says, claims: named } = contracts.clauses[clause];
    return el("li", {}, el("span", { class: decided ? "yes" : "open", "aria-hidden": "true" }, decided ? "✓" : "~"),
      el("span", {}, says, el("span", { class: "quiet" }, ` ${of}${decided + left > 1 ? `, ${decided + left} times` : ""}`)));
  }));
}

async function drawPicture(view) {
  const mark = () => {
    for (const step of $("picture").querySelectorAll("[data-step]")) {
      step.classList.toggle("now", Number(step.dataset.step) === view.applied);
      step.classList.toggle("later", Number(step.dataset.step) > view.applied);
    }
  };
  const t = Math.max(1, view.t);
  if (shownPicture === t) { mark(); return; }
  shownPicture = t;
  $("picture").classList.add("stale");
  const asked = text;
  try {
    const { picture, says } = await ask("picture", { text: asked, t });
    if (asked !== text || shownPicture !== t) return;
    $("picture").innerHTML = picture || "";
    $("picture").classList.remove("stale");
    $("picture-says").textContent = says;
  } catch (error) {
    if (asked !== text) return;
    $("picture").replaceChildren();
    $("picture-says").textContent = `No picture: ${error.message}`;
  }
  if (views[place]) mark();
}

function leap(direction) {
  const ends = run.timeline.map((entry, i) => ({ ...entry, i }))
    .filter((entry) => ["start", "outer-iteration", "gradient", "stop", "outcome"].includes(entry.kind));
  const found = direction > 0 ? ends.find((entry) => entry.i > place) : ends.findLast((entry) => entry.i < place);
  return found ? found.i : place;
}

const nextStop = () => run.stops.find((i) => i > place) ?? run.timeline.length - 1;

export function key(name) {
  if (!run) return false;
  const to = {
    ArrowRight: () => place + 1, ArrowLeft: () => place - 1, Home: () => 0, End: nextStop,
    PageDown: () => leap(1), PageUp: () => leap(-1),
  }[name];
  if (to) go(to());
  return Boolean(to);
}

export function begin() {
  $("first").addEventListener("click", () => go(0));
  $("back").addEventListener("click", () => go(place - 1));
  $("forward").addEventListener("click", () => go(place + 1));
  $("leap").addEventListener("click", () => go(leap(1)));
  $("stop").addEventListener("click", () => go(nextStop()));
  $("scrub").addEventListener("input", () => go(Number($("scrub").value)));
  $("events").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") event.preventDefault();
  });
}

// The event at which an inner step or an outer iteration stands: where a counterexample is looked at.
export function eventOf(timeline, found) {
  if (!found || found.t === null) return timeline.length - 1;
  const kinds = found.k === null ? ["outer-iteration"] : ["apply", "stop", "gradient"];
  const match = timeline.findLastIndex((entry) => entry.t === found.t && (found.k === null || entry.k === found.k)
    && kinds.includes(entry.kind));
  return match >= 0 ? match : timeline.length - 1;
}
