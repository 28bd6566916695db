// The lessons: told by the server, whose numbers are computed as they are told; exercises are checked there.

import { $, ask, el, working } from "/page.js";

let course = null;
let reading = null; // the page is shown twice while a link to it opens
let told = "";
const minus = (text) => text.replaceAll(/(^|[^\w])-(?=[\d.])/g, "$1−");

export function show() {
  if (!course) reading ??= read().finally(() => { reading = null; });
}

async function read() {
  const box = $("page-lessons");
  working(box, "The course…");
  try {
    course = (await ask("lessons")).lessons;
  } catch (error) {
    box.replaceChildren(el("div", { class: "trouble" }, el("p", {}, error.message)));
    return;
  }
  box.replaceChildren(el("div", { class: "lesson-page" },
    el("aside", { class: "card", "aria-label": "The course" }, el("h2", {}, "Lessons"), el("ol", { class: "course" }, ...course.map((entry) =>
      el("li", {}, el("button", { type: "button", "data-lesson": entry.name, onclick: () => tell(entry.name) }, el("span", {}, entry.title), el("span", { class: "quiet" }, `${entry.minutes} min`)))))),
    el("article", { class: "card lesson", id: "lesson", "aria-live": "polite" })));
  await tell(course[0].name);
}

async function tell(name) {
  told = name;
  for (const button of document.querySelectorAll("[data-lesson]")) {
    if (button.dataset.lesson === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  const box = $("lesson");
  working(box, "Computing the numbers of this lesson…");
  try {
    const lesson = await ask("lesson", { name });
    if (told === name) box.replaceChildren(el("h1", {}, lesson.title), ...blocks(lesson));
  } catch (error) {
    if (told === name) box.replaceChildren(el("div", { class: "trouble" }, el("p", {}, error.message)));
  }
}

function blocks(lesson) {
  const parts = [];
  let facts = null;
  for (const block of lesson.blocks) {
    if (block.kind === "fact") {
      if (!facts) parts.push(facts = el("dl", { class: "facts lesson-facts" }));
      facts.append(el("div", {}, el("dt", {}, block.label), el("dd", { class: "num" }, minus(block.text))));
      continue;
    }
    facts = null;
    parts.push(drawn(lesson, block));
  }
  return parts;
}

function drawn(lesson, block) {
  if (block.kind === "heading") return el("h2", { class: "big" }, block.text);
  if (block.kind === "paragraph") return el("p", {}, block.text);
  if (block.kind === "command") return el("pre", { class: "command" }, `$ ${block.text}`);
  if (block.kind === "plot") return el("figure", {}, el("div", { class: "drawn", drawn: block.picture }), el("figcaption", { class: "quiet" }, block.title));
  if (block.kind === "exercise") return exercise(lesson, block);
  const right = (j) => (block.right.includes(j) ? "num right-cell" : "");
  return el("div", { class: "table-box" }, el("table", {}, el("thead", {}, el("tr", {}, ...block.columns.map((column, j) => el("th", { scope: "col", class: right(j) }, column)))),
    el("tbody", {}, ...block.rows.map((row) => el("tr", {}, ...row.map((cell, j) => el("td", { class: right(j), "data-head": block.columns[j] }, minus(cell))))))));
}

function exercise(lesson, block) {
  const verdict = el("p", { class: "judged", "aria-live": "polite" });
  const give = async (answer) => {
    try {
      const found = await ask("exercise", { name: lesson.name, number: block.number, answer });
      const [kind, word] = found.right === null ? ["quiet", ""] : found.right ? ["yes", "✓ Right. "] : ["false", "✗ Not so. "];
      verdict.replaceChildren(el("strong", { class: kind }, word), found.says);
    } catch (error) {
      verdict.textContent = error.message;
    }
  };
  const field = el("input", { type: "text", "aria-label": `Answer to exercise ${block.number}`, placeholder: block.expected, spellcheck: "false", autocomplete: "off" });
  return el("form", { class: "exercise", onsubmit: (event) => { event.preventDefault(); give(field.value); } },
    el("p", {}, el("strong", {}, `Exercise ${block.number}. `), block.question),
    el("div", { class: "answers" }, ...(block.choices.length ? block.choices.map((choice) => el("button", { type: "button", onclick: () => give(choice) }, choice))
      : [field, el("button", { type: "submit", class: "primary" }, "Answer")])), verdict);
}
