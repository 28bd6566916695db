// Two variants on the same groups.

import { $, ask, el, inFull, number, working } from "/page.js";

let text = null;
let known = null;
const chosen = { left: "section-1", right: "tic-surrogate", at: "" };
let turn = 0;

export async function show(shared) {
  try {
    known ||= (await ask("variants")).variants;
  } catch (error) {
    $("page-compare").replaceChildren(el("div", { class: "trouble" }, el("p", {}, error.message)));
    return;
  }
  if (text === shared.text && $("compared")) return;
  if (text !== shared.text) chosen.at = "";
  text = shared.text;
  frame();
  compare();
}

function select(id, label, value, put) {
  return el("label", { class: "field" }, el("span", {}, label),
    el("select", { id, onchange: (event) => { put(event.target.value); compare(); } },
      ...known.map((entry) => el("option", { value: entry.name, selected: entry.name === value, title: entry.source }, entry.name))));
}

function frame() {
  $("page-compare").replaceChildren(
    el("div", { class: "lead" }, el("h1", {}, "Side by side"),
      el("p", {}, "Two methods on the groups that the first outer iteration drew: what each makes of every response, and where each would step.")),
    el("form", { class: "card choose", onsubmit: (event) => { event.preventDefault(); compare(); } },
      select("left", "left", chosen.left, (value) => { chosen.left = value; }),
      select("right", "right", chosen.right, (value) => { chosen.right = value; }),
      el("label", { class: "field" }, el("span", {}, "at θ"),
        el("input", { id: "compare-at", type: "text", list: "compare-visited", value: chosen.at, spellcheck: "false", autocomplete: "off",
          onchange: (event) => { chosen.at = event.target.value; compare(); } })),
      el("datalist", { id: "compare-visited" }), el("div", { id: "visited", class: "visited" })),
    el("div", { id: "compared", "aria-live": "polite" }));
}

async function compare() {
  const mine = (turn += 1);
  const box = $("compared");
  const written = $("compare-at").value;
  if (!box.childElementCount) working(box, "Comparing…");
  try {
    const found = await ask("compare", { text, names: [chosen.left, chosen.right], at: chosen.at });
    if (mine === turn) draw(found, written);
  } catch (error) {
    if (mine === turn) box.replaceChildren(el("div", { class: "trouble" }, el("p", {}, error.message)));
  }
}

function draw(found, written) {
  if ($("compare-at").value === written) $("compare-at").value = found.at; // else something is being typed there
  $("visited").replaceChildren(...found.visited.map((entry) => el("button", { type: "button", "aria-pressed": String(entry.at === found.at),
    onclick: () => { chosen.at = entry.at; compare(); } }, entry.label)));
  $("compared").replaceChildren(responses(found), el("div", { class: "two even" }, ...found.sides.map(summary)));
}

function responses(found) {
  const several = new Set(found.rows.map((row) => row.prompt)).size > 1;
  const columns = ["A", "ratio ρ", "term", "slope"];
  const [left, right] = found.sides;
  const cells = (side, i, edge) => {
    if (side.error) return [el("td", { colspan: 4, class: `quiet ${edge}` }, i ? "" : "not on this problem")];
    const row = side.rows[i];
    if (!row) return [el("td", { colspan: 4, class: `quiet ${edge}` }, "left out")];
    return [el("td", { class: edge, "data-head": `${side.name}: A` }, number(row.advantage)), el("td", { "data-head": "ratio" }, ...row.ratios.flatMap((ratio, j) => [j ? ", " : "", number(ratio)])),
      el("td", { "data-head": "term" }, row.term ? number(row.term) : "–"), el("td", { "data-head": "slope" }, number(row.slope))];
  };
  return el("section", { class: "card", "aria-label": "Responses" }, el("div", { class: "table-box" }, el("table", { class: "compare" },
    el("thead", {},
      el("tr", {}, el("th", { colspan: several ? 3 : 2 }), el("th", { colspan: 4, scope: "colgroup", class: "side-name edge" }, left.name), el("th", { colspan: 4, scope: "colgroup", class: "side-name edge" }, right.name)),
      el("tr", {}, several ? el("th", { scope: "col" }, "prompt") : null, el("th", { scope: "col" }, "draw"), el("th", { scope: "col" }, "response"),
        ...[left, right].flatMap(() => columns.map((column, j) => el("th", { scope: "col", class: j ? "" : "edge" }, column))))),
    el("tbody", {}, ...found.rows.map((row, i) => el("tr", {}, several ? el("td", { "data-head": "prompt" }, row.prompt) : null, el("td", { "data-head": "draw" }, String(row.i)),
      el("td", { class: "response-name", "data-head": "response" }, row.response), ...cells(left, i, "edge"), ...cells(right, i, "edge")))))),
    el("p", { class: "hint" }, "Slope: the derivative of the objective by the log-probability of the response, the mean of both sides at a kink. Term: normalised, so that the policy part of F is the mean of the terms."));
}

function line(label, ...values) {
  return el("div", {}, el("dt", {}, label), el("dd", {}, ...values));
}

const listed = (entries) => entries.slice(0, 6).flatMap((entry, i) => [i ? el("br") : "", inFull(entry)])
  .concat(entries.length > 6 ? [el("span", { class: "quiet" }, ` and ${entries.length - 6} more`)] : []);

function summary(side) {
  const card = el("section", { class: "card side", "aria-label": side.name }, el("h2", { class: "big" }, side.name), el("p", { class: "quiet" }, side.source));
  if (side.error) { card.append(el("p", { class: "wrong" }, side.error)); return card; }
  card.append(el("dl", { class: "facts" },
    side.objective ? line("F", inFull(side.objective)) : line("F", el("span", { class: "quiet" }, "none: its weights are detached")),
    side.gradient ? line("gradient", ...listed(side.gradient)) : line("gradient", el("strong", { class: "alive kink" }, "undefined: a kink")),
    side.next ? line("next θ", ...listed(side.next), el("div", { class: side.inside ? "yes" : "false" }, side.inside ? "✓ in U: it would be applied" : "✗ outside U: it would stop")) : line("next θ", el("span", { class: "quiet" }, "it would stop here"))));
  const { moments } = side;
  card.append(el("h3", {}, "Over every group that could be drawn"));
  if (moments.sentence === null) card.append(el("p", { class: "quiet" }, `${moments.cases} groups, more than the ${moments.most} that are enumerated here.`));
  else {
    card.append(el("p", {}, el("span", { class: `badge ${moments.verdict === "unbiased" ? "holds" : moments.verdict === "biased" ? "refuted" : "undecided"}` }, moments.verdict), el("span", { class: "quiet" }, moments.sentence)));
    if (moments.expected) {
      card.append(el("dl", { class: "facts" }, line("expected gradient", ...listed(moments.expected)), line("true policy gradient", ...listed(moments.truth)),
        line("bias", ...listed(moments.bias)), line("total variance", inFull(moments.variance))));
    }
  }
  const parts = Object.entries(side.parts).map(([part, value]) => `${part}: ${value}`);
  card.append(el("details", { class: "peek" }, el("summary", {}, "What it is made of"), el("ul", {}, ...parts.map((part) => el("li", {}, part)))));
  return card;
}
