// The form before a game: kitchen, partner, seat, speed, consent. For tests the address may set tick, steps, countdown.

import * as api from "./api.js";
import { choice, list, tick } from "./choices.js";
import { button, el } from "./dom.js";
import { picture, spritePicture } from "./kitchen.js";
import { partnerChoice } from "./partner.js";
import { kitchenName, words } from "./words.js";

/** What `/?tick=100&steps=40&countdown=0` asks for. */
function fromAddress() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(
    ["tick", "steps", "countdown"].filter((name) => given.has(name)).map((name) => [name, Number(given.get(name))]),
  );
}

function miniature(kitchen) {
  const { element } = picture(kitchen, "");
  element.setAttribute("aria-hidden", "true");
  return element;
}

const seatOptions = (seats) =>
  Array.from({ length: seats }, (_, seat) => ({
    value: seat,
    words: words.seat(seat),
    picture: spritePicture(`cook-${seat}-1-0`, "4 -6 56 70"),
  }));

/** The form; `onstart(frame)` gets the frame that asks the server for the game. */
export async function setupForm(onstart) {
  const [kitchens, about] = await Promise.all([api.kitchens(), api.about()]);
  const problem = el("p", { class: "error", role: "alert" });
  const partnerPlace = el("div");
  const seatPlace = el("div");
  let partner, seat;

  const kitchen = choice(
    words.kitchen,
    "pictures",
    kitchens.map((each) => ({ value: each.name, words: kitchenName(each.name), picture: miniature(each) })),
    kitchens[0].name,
    (name) => {
      ready = changeKitchen(name);
    },
  );
  const speed = list(words.speed, words.speeds, 150);
  const length = list(words.length, words.lengths, 400);
  const consent = tick(words.consent, about.consent);
  const thoughts = tick(words.showThoughts);
  const start = el("button", { class: "main" }, words.start);

  async function changeKitchen(name) {
    const players = await api.players(name).catch((error) => {
      fail(error.message);
      return [];
    });
    if (kitchen.value !== name) return; // another click came in between
    partner = partnerChoice(players, partner?.family);
    seat = choice(
      words.seatTitle,
      "seats",
      seatOptions(kitchens.find((each) => each.name === name).seats),
      seat?.value ?? 0,
    );
    partnerPlace.replaceChildren(partner.element);
    seatPlace.replaceChildren(seat.element);
  }

  function fail(sentence) {
    problem.textContent = sentence;
  }

  async function submit(event) {
    event.preventDefault();
    fail("");
    await ready;
    onstart({
      type: "new",
      kitchen: kitchen.value,
      partner: partner.value,
      seat: seat.value,
      tick: Number(speed.value),
      steps: Number(length.value),
      consent: consent.value,
      thoughts: thoughts.value,
      countdown: 3,
      ...fromAddress(),
    });
  }

  let ready = changeKitchen(kitchens[0].name); // when the partners of the chosen kitchen are on offer
  await ready;
  const element = el(
    "form",
    { class: "setup", onsubmit: submit },
    el("h1", {}, words.playTitle),
    el("p", { class: "lead" }, words.playLead),
    kitchen.element,
    el(
      "div",
      { class: "columns" },
      el("div", { class: "card" }, partnerPlace),
      el(
        "div",
        { class: "card" },
        seatPlace,
        el("div", { class: "fields" }, speed.element, length.element),
        thoughts.element,
        consent.element,
      ),
    ),
    el("div", { class: "go" }, problem, start),
  );
  return { element, fail };
}

/** The form of somebody who was invited. */
export async function joinForm(invite, onstart, onother) {
  const about = await api.about();
  const problem = el("p", { class: "error", role: "alert" });
  const consent = tick(words.consent, about.consent);
  const submit = (event) => {
    event.preventDefault();
    onstart({ type: "join", invite, consent: consent.value });
  };
  const element = el(
    "form",
    { class: "setup join card", onsubmit: submit },
    el("h1", {}, words.joinTitle),
    el("p", {}, words.joinLead),
    consent.element,
    problem,
    el("div", { class: "row" }, el("button", { class: "main" }, words.join), button(words.otherGame, onother)),
  );
  return {
    element,
    fail: (sentence) => {
      problem.textContent = sentence;
    },
  };
}
