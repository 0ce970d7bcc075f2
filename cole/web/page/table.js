// The screen of a running game: tickets with score and time, the kitchen, a veil over it, buttons and pad.

import { el } from "./dom.js";
import { picture } from "./kitchen.js";
import { opening } from "./terrain.js";
import { keyLine, toolButtons } from "./tools.js";
import { thoughtsMarks, thoughtsPanel } from "./thoughts.js";
import { clock, kitchenName, partnerNames, words } from "./words.js";

const MILESTONES = [60, 30, 10]; // seconds left that are said aloud

function ticket(name, value) {
  return el("div", { class: "ticket" }, el("span", { class: "what" }, name), value);
}

/** A game's screen for a `welcome` frame. `acts` are {pause, leave, pad, thoughts}: what the buttons do. */
export function table(welcome, acts, pad) {
  const { kitchen, seat, tick } = welcome;
  const partner = partnerNames(welcome.players, seat);
  const score = el("output", { class: "big" }, "0");
  const time = el("span", { class: "big", role: "timer" }, clock(welcome.steps * tick));
  const scene = picture(kitchen, words.kitchenLabel(kitchenName(kitchen.name)), {
    ...opening(kitchen),
    left: welcome.steps,
  });
  const marks = thoughtsMarks(scene);
  const panel = thoughtsPanel();
  const veil = el("div", { class: "veil", hidden: true });
  const stage = el(
    "div",
    { class: "stage", role: "application", tabIndex: 0, "aria-label": words.stageLabel },
    scene.element,
    veil,
  );
  const status = el("p", { class: "status", role: "status" });
  const said = el("p", { class: "unseen", "aria-live": "polite" });
  const tools = toolButtons(acts);
  const element = el(
    "div",
    { class: "table" },
    el(
      "div",
      {},
      el("h1", { class: "unseen" }, words.gameTitle(kitchenName(kitchen.name), partner)),
      el(
        "div",
        { class: "rail" },
        ticket(words.score, score),
        ticket(words.timeLeft, time),
        ticket(words.with, el("span", { class: "who" }, partner)),
      ),
      stage,
      status,
      said,
      pad,
      tools.element,
      keyLine(words.keys),
    ),
    panel.element,
  );
  const { width, height } = scene.element.viewBox.baseVal;
  element.style.setProperty("--ratio", width / height);
  let last = { score: 0, left: welcome.steps };
  let thinking = false;

  function show(frame) {
    const step = frame.left < last.left ? tick : 0;
    scene.show(frame, step);
    if (frame.score !== last.score) score.value = frame.score;
    time.textContent = clock(frame.left * tick);
    const passed = MILESTONES.find(
      (seconds) => last.left * tick > seconds * 1000 && frame.left * tick <= seconds * 1000,
    );
    if (passed && step) said.textContent = words.secondsLeft(passed);
    const served = (frame.events ?? []).filter(([, what]) => what === "soup_served");
    served.forEach(([who]) => celebrate(frame, who, (frame.score - last.score) / served.length));
    const other = frame.cooks.findIndex((_, number) => number !== seat);
    marks.show(frame.cooks[other] ?? [0, 0], thinking ? frame.thoughts : null);
    panel.show(frame.thoughts);
    last = frame;
  }

  function celebrate(frame, who, points) {
    scene.served(frame, who, words.plus(points));
    score.classList.remove("scored");
    void score.offsetWidth; // lets the animation start afresh
    score.classList.add("scored");
  }

  function cover(...content) {
    veil.replaceChildren(...content);
    veil.hidden = false;
    said.textContent = "";
    const first = veil.querySelector("[data-first]") ?? veil.querySelector("button, a, input");
    if (first) first.focus({ preventScroll: true });
  }

  function uncover() {
    veil.hidden = true;
    veil.replaceChildren();
    stage.focus({ preventScroll: true });
  }

  function say(sentence, kind = "") {
    status.textContent = sentence;
    status.dataset.kind = kind;
  }

  function setThoughts(on) {
    thinking = on;
    panel.element.hidden = !on;
    element.classList.toggle("thinking", on);
    tools.thoughts.setAttribute("aria-pressed", on);
    if (!on) marks.show([0, 0], null);
  }

  /** Nothing more can be done here but what the veil offers. */
  function close() {
    setPad(false);
    setThoughts(false);
    for (const part of element.querySelectorAll(".buttons, .keys")) part.hidden = true;
  }

  function setPad(on) {
    pad.hidden = !on;
    element.classList.toggle("padded", on);
    tools.pad.setAttribute("aria-pressed", on);
  }

  tools.thoughts.hidden =
    Boolean(welcome.invite) || welcome.players.some((name, number) => number !== seat && words.people.includes(name));
  return {
    element,
    stage,
    show,
    cover,
    uncover,
    say,
    setThoughts,
    setPad,
    close,
  };
}
