// Strategies on a circle that can be walked with the arrow keys: what both graphs share.

import { el, svg } from "./dom.js";
import { roving } from "./roving.js";
import { words } from "./words.js";

export const CENTRE = 200; // of a square of 400
const RADIUS = 140;
const LINE = 9; // letters of a name in one line
export const CROWD = 12; // beyond so many strategies names become numbers and only the best pairs are drawn

/** Places on the circle, the first on top, clockwise. */
export function places(count, radius = RADIUS) {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [CENTRE + radius * Math.sin(angle), CENTRE - radius * Math.cos(angle)];
  });
}

/** A name in one line, or in two of about the same length. */
function lines(name) {
  if (name.length <= LINE) return [name];
  const gaps = [...name]
    .map((letter, i) => [letter, i])
    .filter(([letter]) => " -/".includes(letter))
    .map(([, i]) => i + 1);
  const cut = gaps.sort((a, b) => Math.abs(a - name.length / 2) - Math.abs(b - name.length / 2))[0] ?? LINE;
  return [name.slice(0, cut).trim(), name.slice(cut)].map((part) =>
    part.length > 2 * LINE ? `${part.slice(0, 2 * LINE - 1)}…` : part,
  );
}

function nameAt([x, y], name, count, index) {
  const side = (x - CENTRE) / RADIUS;
  const anchor = count > CROWD || Math.abs(side) < 0.15 ? "middle" : side > 0 ? "start" : "end";
  const shown = count <= 30 || index % 5 === 4 || index === 0;
  const parts = count <= CROWD ? lines(name) : shown ? [String(index + 1)] : [];
  const below = (i) => y + 4 + 17 * (i - (parts.length - 1) / 2);
  return svg(
    "text",
    { "text-anchor": anchor, "aria-hidden": "true" },
    parts.map((part, i) => svg("tspan", { x, y: below(i) }, part)),
  );
}

/** A circle of nodes; `describe(i)` says in words what node i is. Gives {picture, reading, edges, nodes, tell}. */
export function circle(label, names, describe) {
  const reading = el("p", { class: "reading", "aria-live": "polite" }, words.hintNode);
  const edges = svg("g");
  const nodes = places(names.length).map(([cx, cy], i) =>
    svg("circle", { cx, cy, class: "node", role: "img", "aria-label": names[i] }),
  );
  const outside = places(names.length, RADIUS + (names.length > CROWD ? 20 : 28)).map((place, i) =>
    nameAt(place, names[i], names.length, i),
  );
  const wide = names.length > CROWD ? "20 20 360 360" : "-80 14 560 376";
  const picture = svg(
    "svg",
    { viewBox: wide, class: "graph", role: "group", "aria-label": label },
    edges,
    outside,
    nodes,
  );
  roving(picture, nodes, 1, (index) => {
    reading.textContent = describe(index);
    for (const edge of edges.children)
      edge.classList.toggle("lit", edge.dataset.ends.split(" ").includes(String(index)));
  });
  picture.addEventListener("pointerleave", () => {
    for (const edge of edges.children) edge.classList.remove("lit");
  });
  /** Says anew what every node is, after a change. */
  const tell = () => nodes.forEach((node, i) => node.setAttribute("aria-label", describe(i)));
  return { picture, reading, edges, nodes, tell };
}

/** The circle with a title, a note above and a line of text below. */
export const figure = (title, note, { picture, reading }) =>
  el("section", { class: "card figure" }, el("h2", {}, title), el("p", { class: "small" }, note), picture, reading);
