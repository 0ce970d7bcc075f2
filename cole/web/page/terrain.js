// Reads the map of a kitchen: what stands where, how a game opens, and the scene in words.

import { words } from "./words.js";

const KINDS = { X: "counter", P: "pot", O: "onions", D: "dishes", S: "serving" };
export const STEPS = [
  [0, -1],
  [0, 1],
  [1, 0],
  [-1, 0],
]; // north, south, east, west
export const READY = 23; // the content of a pot whose soup is done
const FULL = 3;

/** What stands at (x, y): "floor", "counter", "pot", "onions", "dishes" or "serving". */
export const kindAt = (kitchen, x, y) => KINDS[kitchen.rows[y]?.[x]] ?? "floor";

export const size = (kitchen) => ({ width: kitchen.rows[0].length, height: kitchen.rows.length });

/** Every cell as {x, y, kind}, as one reads. */
export function cells(kitchen) {
  return kitchen.rows.flatMap((row, y) => [...row].map((_, x) => ({ x, y, kind: kindAt(kitchen, x, y) })));
}

/** The state before the first step: everybody at the start, facing north, hands empty. */
export function opening(kitchen) {
  const cooks = [];
  kitchen.rows.forEach((row, y) =>
    [...row].forEach((symbol, x) => {
      if (symbol >= "1" && symbol <= "9") cooks[Number(symbol) - 1] = [x, y, 0, 0];
    }),
  );
  return { t: 0, cooks, contents: [], score: 0, left: 0 };
}

/** The cell a cook looks at. */
export const faced = ([x, y, facing]) => [x + STEPS[facing][0], y + STEPS[facing][1]];

/** The scene in words, for whoever cannot see it. */
export function inWords(kitchen, state) {
  const cooks = state.cooks.map(([x, y, facing, held], seat) => words.cookAt(seat, facing, held, x, y));
  const held = new Map(state.contents.map(([x, y, content]) => [`${x},${y}`, content]));
  const pots = cells(kitchen).filter(({ kind }) => kind === "pot");
  const inPots = pots.map(({ x, y }) => words.at(potInWords(held.get(`${x},${y}`) ?? 0), x, y));
  const items = state.contents.filter(([x, y]) => kindAt(kitchen, x, y) === "counter");
  return [...cooks, ...inPots, ...items.map(([x, y, item]) => words.at(words.items[item], x, y))].join("; ");
}

function potInWords(content) {
  if (content === READY) return words.potReady;
  return content >= FULL ? words.potCooking(READY - content) : words.potOnions(content);
}
