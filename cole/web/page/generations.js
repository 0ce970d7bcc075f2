// Both graphs of a population with one slider for the generation.

import { el } from "./dom.js";
import { gameGraph, preferenceGraph } from "./graph.js";
import { words } from "./words.js";

/** The parts of the page; the slider only if there is more than one generation. `onmove(t)` hears where it is. */
export function graphs(population, onmove) {
  const both = [gameGraph(population), preferenceGraph(population)];
  const count = population.eta.length;
  const said = el("output", { class: "small" });
  const slider = el("input", {
    type: "range",
    min: 1,
    max: count,
    value: count,
    id: "generation",
    oninput: () => show(Number(slider.value) - 1),
  });

  function show(t) {
    both.forEach((graph) => graph.show(t));
    const newest = population.eta[t].findLastIndex((value) => value !== null);
    said.value = words.generationOf(t + 1, count, population.names[newest] ?? "");
    slider.setAttribute("aria-valuetext", said.value);
    onmove(t);
  }

  show(count - 1);
  const bar = el(
    "div",
    { class: "card generation", hidden: count < 2 },
    el("label", { for: "generation" }, words.generation),
    slider,
    said,
  );
  return [
    el("h2", { class: "section" }, words.graphsTitle),
    bar,
    el(
      "div",
      { class: "figures" },
      both.map((graph) => graph.element),
    ),
  ];
}
