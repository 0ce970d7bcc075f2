// A matrix as a heat map: pointing at a cell or walking with the arrow keys gives its numbers in a line of text.

import { steps } from "./colours.js";
import { el, svg } from "./dom.js";
import { roving } from "./roving.js";
import { short, tiny, words } from "./words.js";

const NUMBERED = 8; // up to so many columns the cells carry their numbers
const CROWD = 12; // up to so many rows or columns have names beside them
const EVERY = [1, 2, 5, 10, 20, 50];

/** Which of `count` names are written beside the matrix. */
const labelled = (index, count) => (index + 1) % EVERY.find((stride) => count / stride <= CROWD) === 0;

function legend({ low, high }) {
  const colours = steps();
  const parts = colours.map((fill, x) => svg("rect", { x, width: 1.1, height: 8, fill }));
  const bar = svg(
    "svg",
    { viewBox: `0 0 ${colours.length} 8`, preserveAspectRatio: "none", "aria-hidden": "true" },
    parts,
  );
  return el("p", { class: "legend small" }, el("span", {}, low), bar, el("span", {}, high));
}

/** What is written beside the matrix: names of at most `room` letters, else shorter ones; in a crowd not all. */
function labels(names, room) {
  const fit = (each) => each.every((name) => name.length <= room);
  if (names.length <= CROWD && fit(names)) return names;
  const brief = names.map(tiny);
  const written = brief.every((name) => name.length <= 3) ? brief : names.map((_, index) => String(index + 1));
  return written.map((name, index) => (labelled(index, names.length) ? name : ""));
}

/**
 * Options: title, note, rows and columns (names), values [rows][columns] with null for an empty cell, scale,
 * text(row, column, value), onchoose(row, column) or nothing. Gives {element, mark(row)}.
 */
export function heatmap({ title, note, rows, columns, values, scale, text, onchoose }) {
  const reading = el("p", { class: "reading", "aria-live": "polite" }, words.hint);
  const numbered = columns.length <= NUMBERED;
  const items = [];

  function cell(row, column) {
    const value = values[row][column];
    const item = el("div", {
      role: "gridcell",
      class: value === null ? "cell empty" : "cell",
      "aria-label": text(row, column, value),
    });
    if (value !== null) {
      item.style.backgroundColor = scale.paint(value, row);
      item.style.color = scale.ink(value, row);
      if (numbered) item.textContent = short(value);
    }
    items.push(item);
    return item;
  }

  const beside = labels(rows, 18),
    above = labels(columns, Math.floor(30 / columns.length));
  const label = (role, name, written) =>
    el("div", { role, class: "label", title: name, "aria-label": name }, el("span", {}, written));
  const head = el(
    "div",
    { role: "row", class: "line" },
    el("div", { role: "columnheader", "aria-label": title }),
    columns.map((name, column) => label("columnheader", name, above[column])),
  );
  const lines = rows.map((_, row) =>
    el(
      "div",
      { role: "row", class: "line" },
      label("rowheader", rows[row], beside[row]),
      columns.map((_, column) => cell(row, column)),
    ),
  );
  const grid = el(
    "div",
    {
      role: "grid",
      class: `heat${numbered ? " numbered" : ""}${onchoose ? " choosable" : ""}`,
      "aria-label": title,
      "aria-readonly": "true",
    },
    head,
    lines,
  );
  grid.style.gridTemplateColumns = `max-content repeat(${columns.length}, minmax(0, 1fr))`;

  const place = (index) => [Math.floor(index / columns.length), index % columns.length];
  roving(
    grid,
    items,
    columns.length,
    (index) => {
      const [row, column] = place(index);
      reading.textContent = text(row, column, values[row][column]);
    },
    onchoose && ((index) => onchoose(...place(index))),
  );

  function mark(row) {
    lines.forEach((line, number) => line.classList.toggle("marked", number === row));
  }

  const element = el(
    "section",
    { class: "card figure" },
    el("h2", {}, title),
    el("p", { class: "small" }, note),
    grid,
    legend(scale),
    reading,
  );
  return { element, mark };
}
