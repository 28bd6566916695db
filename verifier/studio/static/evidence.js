// The claims, what is known of each, and the text behind it.

import { $, ask, chip, el, working } from "/page.js";

let loaded = null;
let reading = null; // the page is shown twice while a link to it opens: drawn once, or what was unfolded would close
let filter = "";

const WORDS = { held: ["✓ held", "holds"], refuted: ["✓ refuted", "holds"], undecided: ["? undecided", "undecided"], "not-run": ["not run", "undecided"], "not-covered": ["not covered", "undecided"] };

export function show() {
  if (!loaded) reading ??= read().finally(() => { reading = null; });
}

async function read() {
  const box = $("page-evidence");
  working(box, "Reading the claims and their proofs…");
  try {
    loaded = await ask("evidence");
    draw();
  } catch (error) {
    box.replaceChildren(el("div", { class: "trouble" }, el("p", {}, error.message)));
  }
}

function draw() {
  const claims = loaded.claims.filter((entry) => entry.promised);
  const non = loaded.claims.filter((entry) => !entry.promised);
  const head = loaded.report
    ? el("p", {}, `From ${loaded.report}, written by grpocheck verify ${loaded.version || ""}, on ${loaded.claims.filter((entry) => entry.status).length} of ${loaded.claims.length} claims and non-claims: ${loaded.ok ? "nothing is refuted and no evidence is lost." : "something is refuted, lost or undecided."}`)
    : el("p", { class: "notice-line" }, loaded.trouble, " Until then this is what each claim is known to have, with the text of every proof and check.");
  $("page-evidence").replaceChildren(
    el("div", { class: "lead" }, el("h1", {}, "What holds, and how it is known"), head,
      el("label", { class: "field-inline" }, el("span", { class: "quiet" }, "Find"),
        el("input", { type: "text", id: "evidence-filter", "aria-label": "Find a claim", value: filter, oninput: (event) => { filter = event.target.value.toLowerCase(); tables(claims, non); } }))),
    el("div", { id: "evidence-tables" }),
    loaded.not_run.length ? el("section", { class: "card" }, el("h2", {}, "Could not run here"), el("ul", {}, ...loaded.not_run.map((entry) => el("li", {}, `${entry.what}: ${entry.why}; `, el("code", {}, entry.enable))))) : "");
  tables(claims, non);
}

function tables(claims, non) {
  const fits = (entry) => !filter || `${entry.id} ${entry.statement}`.toLowerCase().includes(filter);
  const [shownClaims, shownNon] = [claims.filter(fits), non.filter(fits)];
  const parts = [];
  if (shownClaims.length) parts.push(section("Claims", shownClaims));
  if (shownNon.length) parts.push(section("Not promised, and refuted by a witness", shownNon));
  if (!parts.length) parts.push(el("p", { class: "quiet" }, "No claim has these words."));
  $("evidence-tables").replaceChildren(...parts);
}

function section(title, entries) {
  return el("section", { class: "card", "aria-label": title }, el("h2", {}, title), el("div", { class: "claims" }, ...entries.map(row)));
}

function row(entry) {
  const [word, kind] = entry.status ? WORDS[entry.status] || [entry.status, "undecided"] : ["", ""];
  const wrong = entry.status && (entry.promised ? entry.status === "refuted" : entry.status === "held");
  return el("details", { class: "claim", id: `claim-${entry.id}` },
    el("summary", {}, el("strong", { class: "claim-id" }, entry.id), el("span", { class: "claim-says" }, entry.statement),
      el("span", { class: "claim-state" }, word ? el("span", { class: `badge ${wrong ? "refuted" : kind}` }, wrong ? `✗ ${entry.status}` : word) : null,
        el("span", { class: "quiet" }, entry.strongest || (entry.status ? "" : entry.requires)))),
    el("div", { class: "claim-body" },
      el("p", { class: "quiet" }, `Stated in section 2 of docs/specification.md, from seed ${entry.seed}. Known evidence: ${entry.requires}.`),
      entry.witnesses.length ? el("p", {}, "Witnesses: ", ...entry.witnesses.flatMap((name) => [el("a", { href: `#step?example=${encodeURIComponent(name)}` }, name.replaceAll("_", " ")), " "])) : null,
      entry.found.length ? found(entry.found) : null,
      entry.texts.length ? el("ul", { class: "texts" }, ...entry.texts.map((text) => el("li", {}, chip(text.kind), el("button", { type: "button", class: "link", onclick: () => open(text.name) }, text.name.replace("grpocheck.proofs.", "")), el("span", { class: "quiet" }, text.says)))) : null));
}

function found(entries) {
  return el("div", { class: "table-box" }, el("table", {}, el("thead", {}, el("tr", {}, ...["kind", "status", "for which cases", "time"].map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...entries.map((entry) => el("tr", {}, el("td", { "data-head": "kind" }, entry.kind), el("td", { "data-head": "status" }, entry.status),
      el("td", { "data-head": "for" }, entry.scope, entry.detail ? el("span", { class: "quiet" }, ` ${entry.detail}`) : null), el("td", { "data-head": "time", class: "num" }, `${Number(entry.seconds).toFixed(1)}\u00a0s`))))));
}

async function open(name) {
  let dialog = $("source-text");
  if (!dialog) {
    dialog = el("dialog", { id: "source-text", class: "wide", "aria-labelledby": "source-name" });
    document.body.append(dialog);
  }
  const body = el("pre", { tabindex: "0" }, "…");
  dialog.replaceChildren(el("h2", { id: "source-name" }, name), body, el("form", { method: "dialog" }, el("button", { class: "primary" }, "Close")));
  dialog.showModal();
  try {
    body.textContent = (await ask("source", { name })).text;
  } catch (error) {
    body.textContent = error.message;
  }
}
