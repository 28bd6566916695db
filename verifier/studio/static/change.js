// The form that changes a problem: every change runs at once.

import { $, ask, el, trouble } from "/page.js";

let text = "";
let form = null;
let run = null;
let typing = null; // a field with text that is not yet a change
let last = Promise.resolve(); // the change before: the next one builds on it, however long its run takes

const COUNTS = [["group_size", "G", "draws of a group"], ["outer_iterations", "T", "outer iterations"], ["inner_steps", "K", "inner steps"]];
const NUMBERS = [["epsilon", "ε", "clip threshold"], ["beta", "β", "weight of the KL penalty"], ["step_size", "η", "step size of every step"]];

export function begin(open) {
  run = open;
  const tabs = ["events", "change", "text"];
  const panels = { events: "events", change: "change", text: "source" };
  const choose = (name) => {
    for (const tab of tabs) {
      const selected = tab === name;
      $(`tab-${tab}`).setAttribute("aria-selected", String(selected));
      $(`tab-${tab}`).tabIndex = selected ? 0 : -1;
      $(panels[tab]).hidden = !selected;
    }
  };
  for (const tab of tabs) {
    $(`tab-${tab}`).addEventListener("click", () => choose(tab));
    $(`tab-${tab}`).addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
      choose(next);
      $(`tab-${next}`).focus();
      event.preventDefault();
    });
  }
  $("change").addEventListener("submit", (event) => event.preventDefault());
  $("change").addEventListener("input", (event) => { typing = event.target; });
  $("change").addEventListener("change", () => { typing = null; });
}

function put(changesOf) {
  last = last.then(() => change(changesOf));
}

async function change(changesOf) {
  try {
    const changed = await ask("edit", { text, changes: changesOf() });
    ({ text, form } = changed);
    run(text);
  } catch (error) {
    trouble(error);
  }
}

export function opened(newText, { form: newForm }) {
  text = newText;
  form = newForm;
  if (typing !== null && typing === document.activeElement) return; // made anew with the change that is being typed
  typing = null;
  const focused = document.activeElement?.closest("#change") ? document.activeElement.id : "";
  const parts = [
    el("div", { class: "grid-3" }, ...COUNTS.map(([key, letter, says]) => countField(key, letter, says))),
    el("div", { class: "grid-3" }, ...NUMBERS.map(([key, letter, says]) =>
      numberField(`change-${key}`, letter, says, form[key] ?? "", (value) => put(() => ({ [key]: value })),
        form[key] === null || form[key] === undefined ? "per step" : ""))),
  ];
  if (form.theta) parts.push(thetaFields());
  if (form.prompts) parts.push(...form.prompts.map(promptFields));
  else parts.push(el("p", { class: "hint" }, "This problem is large: change its prompts in the file."));
  parts.push(drawFields());
  parts.push(el("p", { class: "hint" }, "Numbers are exact: 0.2, 1/3, 1e-3. Every change runs at once."));
  $("change").replaceChildren(...parts);
  if (focused) $(focused)?.focus();
}

function numberField(id, letter, says, value, put, placeholder = "") {
  return el("label", { class: "field", title: says }, el("span", {}, letter),
    el("input", { id, type: "text", inputmode: "text", value, placeholder, spellcheck: "false", autocomplete: "off", "aria-label": says,
      onchange: (event) => put(event.target.value) }));
}

function countField(key, letter, says) {
  return el("label", { class: "field", title: says }, el("span", {}, letter),
    el("input", { id: `change-${key}`, type: "number", min: key === "group_size" ? 2 : 1, max: 999, value: form[key], "aria-label": says,
      onchange: (event) => put(() => ({ [key]: event.target.value })) }));
}

function thetaFields() {
  return el("fieldset", {}, el("legend", {}, "θ₀"), el("div", { class: "grid-3" }, ...form.theta.map((entry, i) =>
    numberField(`change-theta-${i}`, form.theta.length > 1 ? `θ${i + 1}` : "θ", `entry ${i + 1} of the starting parameter`, entry,
      (value) => put(() => ({ theta: form.theta.map((old, j) => (i === j ? value : old)) }))))));
}

function promptFields(prompt, place) {
  const rows = prompt.responses.map((response, j) => el("tr", {}, el("th", { scope: "row" }, response),
    ...["rewards", "reference"].map((key) => el("td", {}, el("input", {
      id: `change-${key}-${place}-${j}`, type: "text", value: prompt[key][j], spellcheck: "false", autocomplete: "off",
      "aria-label": `${key === "rewards" ? "reward" : "reference mass"} of ${response}, prompt ${prompt.name}`,
      onchange: (event) => put(() => ({ [key]: form.prompts.map((other, l) =>
        other[key].map((old, m) => (l === place && m === j ? event.target.value : old))) })),
    })))));
  return el("fieldset", {}, el("legend", {}, prompt.name), el("table", { class: "inputs" },
    el("thead", {}, el("tr", {}, ...["response", "reward", "reference"].map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows)));
}

function drawFields() {
  const box = el("fieldset", {}, el("legend", {}, "Draws"));
  if (form.draws === "recorded" && form.recorded && form.prompts) {
    form.recorded.forEach((groups, t) => groups.forEach((group, l) => {
      box.append(el("div", { class: "drawn-group" },
        form.recorded.length * groups.length > 1 ? el("span", { class: "quiet" }, `t = ${t + 1}, ${form.prompts[l].name}`) : null,
        ...group.map((response, i) => el("select", {
          id: `change-draw-${t}-${l}-${i}`, "aria-label": `draw ${i + 1} of ${form.prompts[l].name}, outer iteration ${t + 1}`,
          onchange: (event) => put(() => ({ recorded: form.recorded.map((others, s) => others.map((row, m) =>
            row.map((old, j) => (s === t && m === l && j === i ? event.target.value : old)))) })),
        }, ...form.prompts[l].responses.map((one) => el("option", { value: one, selected: one === response }, one))))));
    }));
    box.append(el("button", { type: "button", onclick: () => put(() => ({ seed: "1" })) }, "Draw from a seed instead"));
  } else if (form.draws === "recorded") box.append(el("p", { class: "hint" }, "Recorded in the file."));
  else {
    box.append(numberField("change-seed", "seed", "seed of the draws", form.seed ?? "1", (value) => put(() => ({ seed: value }))));
    box.append(el("button", { type: "button", onclick: () => put(() => ({ seed: String((Number(form.seed ?? 1) + 1) % 1000000) })) }, "Draw again"));
  }
  return box;
}
