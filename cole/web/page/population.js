// The population view: loads a run or a cross-play table and lays out its matrices, graphs and curves.

import * as api from "./api.js";
import { list } from "./choices.js";
import { button, el } from "./dom.js";
import { graphs } from "./generations.js";
import { centralityMap, learning, payoffMap } from "./matrices.js";
import { friendly, sentence, words } from "./words.js";

const POLL = 2_000; // ms between two looks at a replay

/** The same population with names for people. */
const named = (population) => ({
  ...population,
  names: population.names.map(friendly),
  partners: population.partners?.map(friendly),
});

/** Fills the section; gives {show(rest of the address), hide()} to the router. */
export function populationView(section) {
  const place = el("div", { class: "population" });
  const problem = el("p", { class: "error", role: "alert" });
  const status = el("p", { class: "small", role: "status" });
  let choice = null;
  let shown = null;

  async function build() {
    const all = await api.populations();
    const lead = [el("h1", {}, words.populationTitle), el("p", { class: "lead" }, words.populationLead)];
    if (!all.length) return section.replaceChildren(...lead, el("p", { class: "card" }, words.noPopulations));
    choice = list(
      words.populationChoice,
      all.map(({ id, name }) => [id, name]),
      all[0].id,
      (id) => {
        location.hash = `#population/${encodeURIComponent(id)}`;
      },
    );
    section.replaceChildren(...lead, choice.element, problem, status, place);
  }

  function fill(id, population) {
    const rest = el("div", { class: "figures" }, learning(population));
    if (!population.payoff) return place.replaceChildren(unplayed(id, population.replay), rest);
    const centrality = centralityMap(population);
    const figures = el("div", { class: "figures" }, payoffMap(id, population).element, centrality.element);
    place.replaceChildren(figures, ...graphs(population, centrality.mark), rest);
  }

  /** For a run whose strategies have never played together: a button that lets them. */
  function unplayed(id, replay) {
    const running = replay === "running";
    const said = el("p", { role: "status" }, running ? words.replaying : words.unplayed);
    const start = button(
      words.replay,
      async () => {
        start.disabled = true;
        said.textContent = words.replaying;
        await api.playAll(id).then(
          () => later(id),
          (error) => {
            said.textContent = error.message;
          },
        );
      },
      { class: "main", disabled: running },
    );
    if (running) later(id);
    const why = ["possible", "running"].includes(replay) ? null : el("p", { class: "error" }, sentence(replay));
    return el("div", { class: "card" }, said, why, start);
  }

  function later(id) {
    setTimeout(() => {
      if (shown !== id) return;
      shown = null;
      load(id);
    }, POLL);
  }

  /** `#population` or `#population/ID`. */
  async function show([wanted]) {
    if (!choice) await build();
    if (!choice) return;
    if (wanted) choice.select.value = wanted;
    const id = choice.value || wanted;
    if (shown === id) return;
    place.replaceChildren();
    status.textContent = words.loading;
    await load(id);
    status.textContent = "";
  }

  async function load(id) {
    problem.textContent = "";
    try {
      fill(id, named(await api.population(id)));
      shown = id;
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  return { show, hide: () => {} };
}
