// What every part of the page uses: questions to the server, elements, numbers, messages.

export const $ = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "drawn") made.innerHTML = value; // formulas and pictures that the server made
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export class Trouble extends Error {
  constructor(error) {
    super(error.message);
    this.kind = error.kind;
    this.key = error.key;
  }
}

export async function ask(question, body = {}) {
  let answer;
  try {
    const reply = await fetch(`/ask/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    answer = await reply.json();
  } catch (error) {
    throw new Trouble({ kind: "gone", message: "The studio does not answer: is it still running in its terminal?" });
  }
  if (answer.error) throw new Trouble(answer.error);
  return answer;
}

let noticeTimer = 0;
export function notice(text) {
  const box = $("notice");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { box.hidden = true; }, 4000);
}

export function trouble(error) {
  const box = $("trouble");
  box.hidden = error === null;
  if (error === null) return;
  const heads = { problem: "This is no problem that can run", budget: "Not answered", gone: "No connection" };
  box.replaceChildren(el("strong", {}, heads[error.kind] || "That did not work"), el("p", {}, error.message));
}

const LONGEST = 22;

// An exact text as it is printed: a minus sign, a root sign, a point between factors.
export const written = (text) => text.replace(/sqrt\((\d+)\)/g, "√$1").replaceAll("*", "·").replaceAll("-", "−");

// A number: exact where that is short, with its decimals beside it; a long one by its decimals.
export function number(value, both = false) {
  if (!value) return el("span", { class: "quiet" }, "–");
  const exactIsShort = value.exact.length <= LONGEST;
  if (!exactIsShort) return el("span", { class: "num", title: value.exact }, `≈ ${written(value.decimal)}`);
  const made = el("span", { class: "num" }, written(value.exact));
  if (both && value.exact !== value.decimal) {
    made.append(" ", el("span", { class: "decimal" }, `${value.rounded ? "≈" : "="} ${written(value.decimal)}`));
  } else if (value.exact !== value.decimal) made.title = `${value.rounded ? "≈ " : "= "}${value.decimal}`;
  return made;
}

// The exact number in full, and its decimals.
export function inFull(value) {
  if (!value) return el("span", { class: "quiet" }, "–");
  const made = el("span", { class: `num full${value.exact.length > 48 ? " long" : ""}` }, written(value.exact));
  if (value.exact !== value.decimal) {
    made.append(" ", el("span", { class: "decimal" }, `${value.rounded ? "≈" : "="} ${written(value.decimal)}`));
  }
  return made;
}

export function chip(text, kind = "") {
  return el("span", { class: `chip ${kind}` }, text);
}

export function working(box, text) {
  box.replaceChildren(el("p", { class: "quiet working" }, text));
}

let jobs = 0;
export const newJob = () => `${Date.now()}-${(jobs += 1)}`;
