// Groups of radio buttons that look like cards, and tick boxes; the building blocks of the forms.

import { el } from "./dom.js";

let groups = 0;

/**
 * A group of radio buttons. `options` are {value, words, picture?, note?}, or {heading} between them.
 * Gives {element, value, choose(value)}; `onchange(value)` is called when the visitor chooses.
 */
export function choice(legend, style, options, chosen, onchange = () => {}) {
  const name = `choice-${++groups}`;
  const inputs = new Map();

  function card({ value, words, picture, note }) {
    const input = el("input", {
      type: "radio",
      name,
      value,
      checked: value === chosen,
      onchange: () => onchange(value),
    });
    inputs.set(value, input);
    const text = el("span", { class: "name" }, words, note ? el("small", {}, note) : null);
    return el("label", { class: "choice" }, input, picture, text);
  }

  const parts = options.map((option) => (option.heading ? el("h3", {}, option.heading) : card(option)));
  const element = el(
    "fieldset",
    { class: `choices ${style}` },
    el("legend", {}, legend),
    el("div", { class: "options" }, parts),
  );
  return {
    element,
    get value() {
      return [...inputs].find(([, input]) => input.checked)?.[0] ?? null;
    },
    choose(value) {
      if (inputs.has(value)) inputs.get(value).checked = true;
    },
  };
}

/** A tick box with a sentence and, smaller, what it means. */
export function tick(sentence, meaning = "") {
  const input = el("input", { type: "checkbox" });
  const text = el("span", {}, sentence, meaning ? el("small", {}, meaning) : null);
  return {
    element: el("label", { class: "tick" }, input, text),
    get value() {
      return input.checked;
    },
  };
}

/** A labelled drop-down list of [value, words] or {group, options}. */
export function list(label, options, chosen, onchange = () => {}) {
  const item = ([value, words]) => el("option", { value, selected: String(value) === String(chosen) }, words);
  const part = (each) => (each.group ? el("optgroup", { label: each.group }, each.options.map(item)) : item(each));
  const select = el("select", { onchange: () => onchange(select.value) }, options.map(part));
  return {
    element: el("label", { class: "field" }, el("span", {}, label), select),
    select,
    get value() {
      return select.value;
    },
  };
}
