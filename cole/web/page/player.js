// Plays a finished game: a slider, single steps, speed, the score over time; the keyboard does all of it too.

import { chart } from "./chart.js";
import { button, el, icon } from "./dom.js";
import { picture } from "./kitchen.js";
import { keyLine } from "./tools.js";
import { kitchenName, words } from "./words.js";

const STEP_MS = 150; // at speed 1
const START = "M6 4l14 8-14 8z",
  STOP = "M6 4h4v16H6zM14 4h4v16h-4z";

/** A player for a game as the server sends it; gives {element, play, pause}. */
export function player(game) {
  const { frames, kitchen } = game;
  const last = frames.length - 1;
  const scene = picture(kitchen, words.kitchenLabel(kitchenName(kitchen.name)), frames[0]);
  const score = el("output", { class: "big" }, "0");
  const where = el("span", { class: "where" });
  const slider = el("input", {
    type: "range",
    min: 0,
    max: last,
    value: 0,
    "aria-label": words.step,
    oninput: () => jump(Number(slider.value)),
  });
  const toggleButton = button(icon(START), toggle, { class: "main wide", "aria-label": words.play });
  const speed = el(
    "select",
    { "aria-label": words.speedLabel },
    words.filmSpeeds.map(([value, name]) => el("option", { value, selected: value === 1 }, name)),
  );
  const curve = chart(
    frames.map((frame) => frame.t),
    frames.map((frame) => frame.score),
    { label: words.scoreChart, stairs: true },
  );
  const element = el(
    "div",
    { class: "player card", onkeydown: key },
    el(
      "div",
      { class: "row head" },
      el("h2", {}, words.gameName(game.players)),
      el("span", { class: "small" }, kitchenName(kitchen.name)),
      el("span", { class: "points" }, words.score, " ", score),
    ),
    el("div", { class: "film" }, scene.element),
    el("div", { class: "time" }, slider, where),
    el(
      "div",
      { class: "row controls" },
      button(icon("M4 5h3v14H4zM20 5v14L8 12z"), () => jump(0), { "aria-label": words.toStart }),
      button(icon("M17 5v14L6 12z"), () => jump(now - 1), { "aria-label": words.back }),
      toggleButton,
      button(icon("M7 5v14l11-7z"), () => jump(now + 1), { "aria-label": words.on }),
      speed,
    ),
    el("h3", {}, words.scoreChart),
    curve.element,
    keyLine(words.fileKeys),
  );
  const { width, height } = scene.element.viewBox.baseVal;
  element.style.setProperty("--ratio", width / height);
  let now = 0;
  let timer = 0; // 0 while paused

  function show(step, ms = 0) {
    const before = now;
    now = Math.min(last, Math.max(0, step));
    const frame = frames[now];
    scene.show(frame, ms);
    curve.point(now);
    slider.value = now;
    slider.setAttribute("aria-valuetext", `${words.stepOf(frame.t, frames[last].t)}, ${words.scoreNow(frame.score)}`);
    where.textContent = words.stepOf(frame.t, frames[last].t);
    if (score.value !== String(frame.score)) score.value = frame.score;
    if (now === before + 1 && frame.score > frames[before].score) celebrate(frame, frames[before]);
  }

  /** Whoever held a soup before and none now has served it. */
  function celebrate(frame, before) {
    const who = frame.cooks.findIndex((cook, seat) => before.cooks[seat][3] === 3 && cook[3] === 0);
    if (who >= 0) scene.served(frame, who, words.plus(frame.score - before.score));
  }

  function tick() {
    if (now === last) return pause();
    const ms = STEP_MS / Number(speed.value);
    timer = setTimeout(tick, ms);
    show(now + 1, Math.min(ms, 250));
  }

  function label(path, name) {
    toggleButton.replaceChildren(icon(path));
    toggleButton.setAttribute("aria-label", name);
  }

  function play() {
    if (timer) return;
    label(STOP, words.stop);
    if (now === last) show(0);
    tick();
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    label(START, words.play);
  }

  function toggle() {
    if (timer) pause();
    else play();
  }

  function jump(step) {
    pause();
    show(step);
  }

  function key(event) {
    if (event.target.matches("select, a") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target.matches("button")) return; // the button answers by itself
    const stride = event.shiftKey ? 10 : 1;
    const answers = {
      " ": toggle,
      ArrowLeft: () => jump(now - stride),
      ArrowRight: () => jump(now + stride),
      Home: () => jump(0),
      End: () => jump(last),
    };
    if (!answers[event.key]) return;
    event.preventDefault();
    answers[event.key]();
  }

  show(0);
  return { element, play, pause };
}
