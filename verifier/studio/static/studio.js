// The page as a whole: the problem that is open, the page that is shown, its address, and the keys.

import { $, ask, el, notice, trouble } from "/page.js";
import * as change from "/change.js";
import * as compare from "/compare.js";
import * as evidence from "/evidence.js";
import * as lessons from "/lessons.js";
import * as oracle from "/oracle.js";
import * as properties from "/properties.js";
import * as stepper from "/stepper.js";

const PAGES = ["step", "oracle", "compare", "evidence", "lessons"];
const shared = { text: "", name: "", page: "step", run: null, seconds: 0 };
const parts = { oracle, compare, evidence, lessons };
const exampleTexts = new Map(); // of the examples that were opened
let examples = [];
let latest = 0;

function address() {
  const [page, rest] = location.hash.slice(1).split("?");
  return { page: PAGES.includes(page) ? page : "step", fields: new URLSearchParams(rest || "") };
}

const placeOf = (fields) => Math.min(Math.max(Number.parseInt(fields.get("at") || "0", 10) || 0, 0), 1e6);

const isExample = (name) => name === shared.name && exampleTexts.get(name) === shared.text;

async function writeAddress() {
  const fields = new URLSearchParams();
  if (isExample(shared.name)) fields.set("example", shared.name);
  else {
    try {
      fields.set("problem", (await ask("share", { text: shared.text })).shared);
    } catch (error) {
      fields.set("kept", "here");
    }
  }
  if (stepper.at() > 0) fields.set("at", stepper.at());
  sessionStorage.setItem("problem", shared.text);
  history.replaceState(null, "", `#${shared.page}?${fields}`);
}

let addressTimer = 0;
function addressSoon() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, 250);
}

function show(page) {
  shared.page = page;
  for (const name of PAGES) $(`page-${name}`).hidden = name !== page;
  for (const link of $("pages").children) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${page[0].toUpperCase()}${page.slice(1)} · grpocheck studio`;
  // the oracle and the comparison need a problem that runs; the evidence and the lessons need none
  if (parts[page] && (shared.run || page === "evidence" || page === "lessons")) parts[page].show(shared);
}

// Run a problem's text; the run, the form and the other pages follow. Returns whether it is one that runs.
export async function open(text, name = "", at = 0) {
  const turn = (latest += 1);
  try {
    const run = await ask("run", { text, at });
    if (turn !== latest) return true;
    Object.assign(shared, { text, name, run });
    trouble(null);
    $("text").value = text;
    stepper.opened(text, run);
    change.opened(text, run);
    markExample();
    if (parts[shared.page]) parts[shared.page].show(shared);
    addressSoon();
    return true;
  } catch (error) {
    if (turn === latest) trouble(error);
    return false;
  }
}

function markExample() {
  const select = $("example");
  const known = examples.includes(shared.name) && exampleTexts.get(shared.name) === shared.text;
  select.querySelector("[data-own]")?.remove();
  if (!known) select.prepend(el("option", { value: "", "data-own": true }, shared.name ? `${shared.name.replaceAll("_", " ")} (changed)` : "your own"));
  select.value = known ? shared.name : "";
}

async function openExample(name, at = 0) {
  const found = await ask("example", { name });
  exampleTexts.set(found.name, found.text);
  return open(found.text, found.name, at);
}

async function openFirst(fields, opening, at) {
  if (fields.get("problem")) return open((await ask("shared", { shared: fields.get("problem") })).text, "", at);
  const kept = fields.get("kept") && sessionStorage.getItem("problem");
  if (kept) return open(kept, "", at);
  if (fields.get("example") || opening.text === null) return openExample(fields.get("example"), at);
  return open(opening.text, opening.name, at);
}

async function begin() {
  const { page, fields } = address();
  shared.page = page;
  const opening = await ask("opening");
  shared.seconds = opening.seconds;
  const at = placeOf(fields);
  try {
    await openFirst(fields, opening, at);
  } catch (error) { // an address that was cut, say: there is still something to look at
    await openExample("");
    trouble(error);
  }
  const answer = await ask("examples");
  examples = answer.examples.map((entry) => entry.name);
  $("example").replaceChildren(...answer.examples.map((entry) =>
    el("option", { value: entry.name, title: entry.says }, entry.name.replaceAll("_", " "))));
  markExample();
  show(page);
}

const typing = (target) => target.matches("input, select, textarea, [contenteditable]");

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
  if (typing(event.target) || (event.target.closest("[role=tablist]") && event.key.startsWith("Arrow"))) return;
  if (event.key === "/") { show("step"); addressSoon(); $("property").focus(); event.preventDefault(); return; }
  if (event.key === "?") { $("keys").showModal(); event.preventDefault(); return; }
  if ("12345".includes(event.key)) { show(PAGES[Number(event.key) - 1]); addressSoon(); return; }
  if (shared.page === "step" && stepper.key(event.key)) event.preventDefault();
}

function theme(set) {
  if (set) document.documentElement.dataset.theme = set;
  else delete document.documentElement.dataset.theme;
}

$("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme(dark ? "light" : "dark");
  localStorage.setItem("theme", dark ? "light" : "dark");
});
$("help").addEventListener("click", () => $("keys").showModal());
$("share").addEventListener("click", async () => {
  try {
    await ask("share", { text: shared.text });
    await writeAddress();
    await navigator.clipboard.writeText(location.href);
    notice("The address of this problem is copied.");
  } catch (error) {
    notice(error.kind ? error.message : "The address of this problem is in the address bar.");
  }
});
$("save").addEventListener("click", () => {
  const link = el("a", { href: URL.createObjectURL(new Blob([shared.text], { type: "text/plain" })),
    download: `${shared.name || "problem"}.toml` });
  link.click();
  URL.revokeObjectURL(link.href);
});
$("load").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (!file) return;
  if (file.size > 200000) notice("This file is larger than a problem of the studio may be.");
  else await open(await file.text(), file.name.replace(/\.toml$/, ""));
  $("file").value = "";
});
$("apply-text").addEventListener("click", () => open($("text").value, shared.name));
$("example").addEventListener("change", () => { if ($("example").value) openExample($("example").value).catch(trouble); });
addEventListener("hashchange", async () => {
  const { page, fields } = address();
  const at = placeOf(fields);
  try {
    if (fields.get("example") && !isExample(fields.get("example"))) await openExample(fields.get("example"), at);
    else if (fields.get("problem")) await open((await ask("shared", { shared: fields.get("problem") })).text, "", at);
  } catch (error) { trouble(error); }
  show(page);
  addressSoon();
});
addEventListener("keydown", key);
addEventListener("stepped", addressSoon);
theme(localStorage.getItem("theme"));
show(address().page);
stepper.begin();
properties.begin(shared, open);
change.begin((text) => open(text, shared.name, stepper.at()));
begin().catch(trouble);
