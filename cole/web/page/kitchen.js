// Draws a kitchen and what happens in it as SVG, with the same sprites as the films; cooks glide from cell to cell.

import * as api from "./api.js";
import { calm, svg } from "./dom.js";
import { cells, faced, inWords, kindAt, opening, size } from "./terrain.js";

let CELL = 64;
let loaded = null;

/** Fetches the sprites and puts them into the document, once. */
export function loadSprites() {
  loaded ??= api.sprites().then(install);
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}

function install(sprites) {
  CELL = sprites.size;
  const drawn = Object.entries(sprites.symbols).map(([name, shapes]) => `<g id="sprite-${name}">${shapes}</g>`);
  const text = `<svg xmlns="http://www.w3.org/2000/svg"><defs>${drawn.join("")}</defs></svg>`;
  const sheet = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  sheet.setAttribute("class", "sprites");
  sheet.setAttribute("aria-hidden", "true");
  document.body.append(sheet);
}

function place(use, name, x, y) {
  use.setAttribute("href", `#sprite-${name}`);
  use.style.transform = `translate(${x * CELL}px, ${y * CELL}px)`;
  return use;
}

const sprite = (name, x, y) => place(svg("use"), name, x, y);

/** A piece of the drawing sheet on its own, for instance a cook beside a word. */
export function spritePicture(name, box = `0 0 ${CELL} ${CELL}`) {
  return svg("svg", { viewBox: box, class: "sprite", "aria-hidden": "true" }, svg("use", { href: `#sprite-${name}` }));
}

function tile(kitchen, { x, y, kind }) {
  const solid = (row) => kindAt(kitchen, x, row) !== "floor";
  if (kind === "floor") return sprite(`floor-${(x + y) % 2}${y > 0 && solid(y - 1) ? "-shaded" : ""}`, x, y);
  return sprite(`${kind}${y + 1 < kitchen.rows.length && !solid(y + 1) ? "-front" : ""}`, x, y);
}

/** The kitchen with `show(state, ms)`, `served(state, seat, words)` and the layer `over` for marks above everything. */
export function picture(kitchen, label, state = opening(kitchen)) {
  const { width, height } = size(kitchen);
  const things = svg("g");
  const people = svg("g");
  const over = svg("g");
  const ground = svg("rect", { width: width * CELL, height: height * CELL, rx: 6, class: "base" });
  const element = svg(
    "svg",
    { viewBox: `0 0 ${width * CELL} ${height * CELL}`, class: "kitchen", role: "img", "aria-label": label },
    ground,
    cells(kitchen).map((cell) => tile(kitchen, cell)),
    things,
    people,
    over,
  );
  const cooks = state.cooks.map(() => svg("use", { class: "cook" }));
  let lying = null; // what is drawn of pots and items

  function showThings(contents) {
    if (lying === String(contents)) return;
    lying = String(contents);
    const held = new Map(contents.map(([x, y, content]) => [`${x},${y}`, content]));
    const pots = cells(kitchen).filter(({ kind }) => kind === "pot");
    const items = contents.filter(([x, y]) => kindAt(kitchen, x, y) !== "pot");
    things.replaceChildren(
      ...pots.map(({ x, y }) => sprite(`pot-${held.get(`${x},${y}`) ?? 0}`, x, y)),
      ...items.map(([x, y, item]) => sprite(`item-${item}`, x, y)),
    );
  }

  function showCooks(poses, ms) {
    element.style.setProperty("--glide", calm() ? "0ms" : `${ms}ms`);
    poses.forEach(([x, y, facing, held], seat) => place(cooks[seat], `cook-${seat}-${facing}-${held}`, x, y));
    // Whoever stands further south is in front. Moving an element stops its glide, so only when the order is new.
    const order = poses.map(([, y], seat) => [y, seat]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const wanted = order.map(([, seat]) => cooks[seat]);
    if (wanted.some((cook, i) => people.children[i] !== cook)) people.append(...wanted);
  }

  function show(next, ms = 0) {
    showThings(next.contents);
    showCooks(next.cooks, ms);
    element.setAttribute("aria-label", `${label}: ${inWords(kitchen, next)}`);
  }

  function served(now, seat, text) {
    const [x, y] = faced(now.cooks[seat]);
    const middle = { cx: (x + 0.5) * CELL, cy: (y + 0.45) * CELL };
    const mark = svg(
      "g",
      { class: "served" },
      svg("circle", { ...middle, r: CELL * 0.46 }),
      svg("text", { x: middle.cx, y: middle.cy, "text-anchor": "middle" }, text),
    );
    over.append(mark);
    setTimeout(() => mark.remove(), 1400);
  }

  show(state);
  return { element, show, served, over, cell: CELL };
}
