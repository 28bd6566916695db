// You are the oracle: a person answers M_U and the gradient, and sees what still follows.

import { $, ask, chip, el, inFull, number, trouble } from "/page.js";

let text = null;
let answers = []; // those that are shown as given
const STANDS = { always: ["whatever you answer", "always"], given: ["if your answers are true", "given"], broken: ["no longer", "broken"] };

export function show(shared) {
  if (text === shared.text) return;
  text = shared.text;
  answers = [];
  $("page-oracle").replaceChildren(); // the question of another problem is none of this one
  play([]);
}

async function play(tried) {
  const asked = text;
  try {
    const state = await ask("oracle", { text, answers: tried });
    if (asked !== text) return;
    answers = tried;
    trouble(null);
    draw(state);
  } catch (error) {
    if (asked !== text) return;
    if (!$("page-oracle").childElementCount) text = null; // to be asked again when the page is shown again
    trouble(error);
  }
}

const give = (answer) => play([...answers, answer]);

function draw(state) {
  $("page-oracle").replaceChildren(
    el("div", { class: "lead" }, el("h1", {}, "You are the oracle"),
      el("p", {}, "The run asks you for each gradient and for each membership in U. Answer truthfully or not: the procedure has no other source, so it cannot tell a false answer from a true one. It can only keep its budget, and say what follows.")),
    el("div", { class: "two" },
      el("div", { class: "column" }, questionCard(state), historyCard(state)),
      el("div", { class: "column" }, conclusionsCard(state), brokenCard(state), ledgerCard(state))));
  const first = $("page-oracle").querySelector("[data-first]");
  if (first && answers.length) first.focus();
}

function questionCard(state) {
  const card = el("section", { class: "card question", "aria-label": "The question", "aria-live": "polite" });
  const { question, violation } = state;
  if (violation) {
    card.append(el("div", { class: "event-head" }, chip("clause broken", "kind-stop")), el("h2", { class: "big" }, "The run ends with an error"),
      el("p", {}, "Your answer breaks a clause of the supply, and the procedure noticed:"),
      el("blockquote", { id: "clause" }, violation.clause),
      el("p", { class: "quiet" }, `${violation.call}: ${violation.found}`));
  } else if (!question) {
    card.append(el("div", { class: "event-head" }, chip("ended", "kind-stop")), el("h2", { class: "big", id: "oracle-status" }, `Status: ${state.status}`),
      el("p", {}, "Returned: θ = ", ...state.theta.flatMap((entry, i) => [i ? ", " : "", inFull(entry)])));
  } else if (question.ask === "domain") {
    card.append(head("M_U is asked", question), el("h2", { class: "big" }, `Is ${question.point} in U?`),
      el("p", { class: "quiet" }, "U is where all of these hold: ", el("span", { class: "num" }, question.inequalities.join(", ").replaceAll("-", "−") || "nothing, it is the whole space")),
      el("div", { class: "answers" },
        el("button", { type: "button", class: "primary", "data-first": true, onclick: () => give("yes") }, "Yes"),
        el("button", { type: "button", onclick: () => give("no") }, "No"),
        el("button", { type: "button", onclick: () => give("maybe") }, "Maybe")), peek(question));
  } else {
    const field = el("input", { type: "text", id: "gradient-answer", "data-first": true, spellcheck: "false", autocomplete: "off",
      placeholder: question.theta.length > 1 ? "1/2, -1/2, … or undefined" : "2 or undefined", "aria-label": "The gradient" });
    card.append(head("the gradient oracle is asked", question), el("h2", { class: "big" }, `What is the gradient of F at θ = ${question.point}?`),
      el("div", { class: "table-box" }, el("table", {},
        el("thead", {}, el("tr", {}, ...["response", "A", "π old", "ratio ρ", "side of the clip", "∇π"].map((one) => el("th", { scope: "col" }, one)))),
        el("tbody", {}, ...question.rows.map((row) => el("tr", {}, el("td", { "data-head": "response", class: "response-name" }, row.response),
          el("td", { "data-head": "A" }, number(row.advantage)), el("td", { "data-head": "π old" }, number(row.old_mass)),
          el("td", { "data-head": "ratio ρ" }, number(row.ratio)), el("td", { "data-head": "side" }, row.side), el("td", { "data-head": "∇π", class: "num" }, row.slope)))))),
      el("p", { class: "hint" }, `Mean over prompts of 1/G times the sum of A ∇π / π old over the responses with ρA < bA${question.beta.exact === "0" ? "" : `, less ${question.beta.exact} times the gradient of the KL divergence`}; undefined where a response of A ≠ 0 sits on its bound and moves.`),
      el("form", { class: "answers", onsubmit: (event) => { event.preventDefault(); give(field.value.trim() || "0"); } }, field,
        el("button", { type: "submit", class: "primary" }, "Answer"),
        el("button", { type: "button", onclick: () => give("undefined") }, "Undefined")), peek(question));
  }
  card.append(el("div", { class: "answers undo" },
    answers.length ? el("button", { type: "button", onclick: () => play(answers.slice(0, -1)) }, "Take the last answer back") : null,
    answers.length ? el("button", { type: "button", onclick: () => play([]) }, "Begin again") : null));
  return card;
}

const head = (what, question) => el("div", { class: "event-head" }, chip(what, "kind-gradient"),
  el("span", { class: "quiet" }, `outer iteration ${question.t}, inner step ${question.k}`));

function peek(question) {
  return el("details", { class: "peek" }, el("summary", {}, "Show the true answer"),
    el("p", { class: "num", id: "true-answer" }, question.truth),
    el("button", { type: "button", onclick: () => give("truth") }, "Give it"));
}

function historyCard(state) {
  if (!state.asked.length) return null;
  return el("section", { class: "card", "aria-label": "Your answers" }, el("h2", {}, "Your answers"), el("ol", { class: "history" }, ...state.asked.map((entry) =>
    el("li", {}, el("span", { class: "quiet" }, entry.ask === "domain" ? `${entry.theta} in U?` : `gradient at ${entry.theta}`), " ",
      el("strong", {}, entry.given), " ",
      entry.agrees === null ? el("span", { class: "quiet" }, "not decided") : entry.agrees ? el("span", { class: "yes" }, "✓ true")
        : el("span", { class: "false" }, `✗ false, the truth is ${entry.truth}`)))));
}

function conclusionsCard(state) {
  return el("section", { class: "card", "aria-labelledby": "follows" }, el("h2", { id: "follows" }, "What follows"),
    el("ul", { class: "follows" }, ...state.conclusions.map((entry) => el("li", { class: STANDS[entry.stands][1] },
      chip(entry.claim, "claim"), el("span", { class: "says" }, entry.says.replace(/(^|[\s(])-(?=\d)/g, "$1−")), el("span", { class: "stands" }, STANDS[entry.stands][0])))));
}

function brokenCard(state) {
  if (!state.broken.length) return null;
  return el("section", { class: "card broken-card", "aria-labelledby": "clauses" }, el("h2", { id: "clauses" }, "Clauses that you broke"),
    el("ul", { class: "clauses" }, ...state.broken.map((entry) => el("li", {}, el("strong", {}, entry.clause),
      el("p", { class: "quiet" }, `${entry.call}: you said ${entry.given}, the truth is ${entry.truth}. `,
        entry.noticed ? "The procedure noticed, and ended." : "Nothing in the procedure can notice.")))));
}

function ledgerCard(state) {
  const calls = [["draws", "response draws"], ["gradient_attempts", "gradient attempts"], ["membership_calls", "membership calls"], ["steps_applied", "steps applied"]];
  return el("section", { class: "card", "aria-label": "Ledger" }, el("h2", {}, "Ledger: it holds, whatever you answer"), ...calls.map(([key, label]) =>
    el("div", { class: "call" }, el("span", {}, label), el("span", { class: "num" }, `${state.calls[key]} of ${state.bounds[key]}`), el("span", {}),
      el("meter", { min: 0, max: state.bounds[key], value: state.calls[key], "aria-label": `${label}: ${state.calls[key]} of at most ${state.bounds[key]}` }))));
}
