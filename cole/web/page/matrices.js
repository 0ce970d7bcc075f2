// The matrices and the curve of a population, each as a card.

import { chart } from "./chart.js";
import { centralityScale, highestOfRowIsDark, highIsDark } from "./colours.js";
import { el } from "./dom.js";
import { heatmap } from "./heatmap.js";
import { words } from "./words.js";

/** What each earns with each; a cell that is chosen plays its pair. */
export function payoffMap(id, { names, payoff }) {
  return heatmap({
    title: words.payoffTitle,
    note: words.payoffNote,
    rows: names,
    columns: names,
    values: payoff,
    scale: highIsDark(payoff),
    text: (row, column, value) => words.payoffCell(names[row], names[column], value),
    onchoose: (row, column) => {
      location.hash = `#watch/pair/${encodeURIComponent(id)}/${row}/${column}`;
    },
  });
}

/** The preference centrality of every strategy at every generation. */
export function centralityMap({ names, eta }) {
  const rows = eta.map((_, t) => words.nthGeneration(t + 1));
  return heatmap({
    title: words.centralityTitle,
    note: words.centralityNote,
    rows,
    columns: names,
    values: eta,
    scale: centralityScale(names.length),
    text: (row, column, value) => words.centralityCell(rows[row], names[column], value),
  });
}

/** phi or draws: rounds by partners; an empty cell where a partner was not there. */
function partnersMap({ names, partners, generations }, values, title, note, say) {
  const columns = partners ?? names;
  const rows = (generations ?? values.map((_, t) => t)).map(words.round);
  return heatmap({
    title,
    note,
    rows,
    columns,
    values,
    scale: highestOfRowIsDark(values),
    text: (row, column, value) => say(rows[row], columns[column], value),
  });
}

/** What a run knows of its learning: chances of partners, partners drawn, the learning curve. */
export function learning(population) {
  const { phi, draws, curves } = population;
  return [
    phi && partnersMap(population, phi, words.phiTitle, words.phiNote, words.phiCell).element,
    draws && partnersMap(population, draws, words.drawsTitle, words.drawsNote, words.drawsCell).element,
    curves && learningCurve(curves),
  ].filter(Boolean);
}

function learningCurve(curves) {
  const { element } = chart(curves.steps, curves.return, { label: words.curveTitle, describe: words.curvePoint });
  return el("section", { class: "card figure curve-card" }, el("h2", {}, words.curveTitle), element);
}
