// The form that lets two players cook together, to be watched.

import * as api from "./api.js";
import { list } from "./choices.js";
import { el } from "./dom.js";
import { friendly, kitchenName, words } from "./words.js";

const KINDS = ["agent", "human", "cook"];

const grouped = (players) =>
  KINDS.map((kind) => ({
    group: words.kinds[kind],
    options: players.filter((each) => each.kind === kind).map(({ id, name }) => [id, friendly(name)]),
  })).filter((group) => group.options.length);

/** The form; `onstart(question)` gets a function that asks for the game. */
export async function pairForm(onstart, fail) {
  const kitchens = await api.kitchens();
  const who = el("div", { class: "fields" });
  const seed = el("input", { type: "number", min: 0, max: 999_999, value: 0 });
  let first, second;

  async function fillPlayers(name) {
    const players = await api.players(name);
    const usual = players.find((player) => player.kind === "cook")?.id;
    const kept = (before) => players.find((player) => player.id === before)?.id;
    first = list(words.first, grouped(players), kept(first?.value));
    second = list(words.second, grouped(players), kept(second?.value) ?? usual);
    who.replaceChildren(first.element, second.element);
  }

  const kitchen = list(
    words.kitchen,
    kitchens.map(({ name }) => [name, kitchenName(name)]),
    kitchens[0].name,
    (name) => {
      ready = fillPlayers(name);
      ready.catch((error) => fail(error.message));
    },
  );
  const submit = (event) => {
    event.preventDefault();
    onstart(async () => {
      await ready;
      return api.watch({
        kitchen: kitchen.value,
        first: first.value,
        second: second.value,
        seed: Number(seed.value),
        episode: 0,
      });
    });
  };
  let ready = fillPlayers(kitchens[0].name);
  await ready;
  return el(
    "form",
    { class: "pair card", onsubmit: submit },
    kitchen.element,
    who,
    el(
      "div",
      { class: "row" },
      el("label", { class: "field" }, el("span", {}, words.seed), seed),
      el("button", { class: "main" }, words.watchStart),
    ),
  );
}
