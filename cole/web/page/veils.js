// What lies over the kitchen while nobody cooks: countdown, pause, waiting for a person, and the receipt at the end.

import { button, el } from "./dom.js";
import { clock, kitchenName, partnerNames, words } from "./words.js";

/** Three, two, one. */
export const countdown = (seconds) => [el("p", { class: "count", "aria-live": "assertive" }, String(seconds))];

/** The clock stands still. */
export function paused(why, onresume) {
  return [
    el(
      "div",
      { class: "note card" },
      el("h2", {}, words.paused),
      el("p", {}, words.whyPaused[why] ?? ""),
      why === "you" ? button(words.resume, onresume, { class: "main" }) : null,
    ),
  ];
}

/** Only a sentence, and perhaps a way out. */
export function notice(title, sentence, ...buttons) {
  return [
    el(
      "div",
      { class: "note card" },
      el("h2", {}, title),
      sentence ? el("p", {}, sentence) : null,
      buttons.length ? el("div", { class: "row" }, buttons) : null,
    ),
  ];
}

/** The invitation to hand on, while the second person is not there. */
export function waiting(invite) {
  const link = `${location.origin}/${location.search}#join/${invite}`;
  const field = el("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": words.inviteLink,
    onfocus: () => field.select(),
  });
  const copied = el("p", { class: "small", role: "status" });
  const copy = button(
    words.copy,
    async () => {
      field.select();
      const done = await navigator.clipboard?.writeText(link).then(
        () => true,
        () => false,
      );
      copied.textContent = done ? words.copied : words.copyByHand;
    },
    { class: "main", "data-first": "" },
  );
  return [
    el(
      "div",
      { class: "note card" },
      el("h2", {}, words.waitingTitle),
      el("p", {}, words.waitingLead),
      el("div", { class: "row" }, field, copy),
      copied,
      el("p", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")),
    ),
  ];
}

function line(what, value) {
  return el("div", {}, el("dt", {}, what), el("dd", {}, value));
}

/** The end: score and what to do next. `acts` are {again, other}; `again` null where there is no rematch. */
export function receipt(welcome, end, acts) {
  const soups = Math.round(end.score / 20);
  return [
    el(
      "div",
      { class: "receipt" },
      el("h2", { tabIndex: -1, "data-first": "" }, words.whyEnd[end.why] ?? words.whyEnd.time),
      el(
        "dl",
        {},
        line(words.kitchen, kitchenName(welcome.kitchen.name)),
        line(words.with, partnerNames(welcome.players, welcome.seat)),
        line(words.time, clock(end.steps * welcome.tick)),
        line(words.soups, String(soups)),
        line(words.score, String(end.score)),
      ),
      el("p", { class: "small" }, end.game ? words.recorded : words.notRecorded),
      el(
        "div",
        { class: "row" },
        acts.again ? button(words.again, acts.again, { class: "main" }) : null,
        end.game ? el("a", { class: "button", href: `#watch/game/${end.game}` }, words.watchRecording) : null,
        button(words.otherGame, acts.other),
      ),
    ),
  ];
}
