// The list of recorded games: watch, download, delete after a second click.

import * as api from "./api.js";
import { button, el } from "./dom.js";
import { fileLinks } from "./files.js";
import { words } from "./words.js";

/** {element, refresh}: the list, read anew by `refresh`. */
export function gameList() {
  const place = el("ul", { class: "games" });
  const said = el("p", { class: "small", role: "status" });
  const problem = el("p", { class: "error", role: "alert" });
  const element = el(
    "section",
    { class: "card", "aria-labelledby": "recorded" },
    el("h2", { id: "recorded" }, words.recordedGames),
    said,
    problem,
    place,
  );

  async function remove(game) {
    try {
      await api.remove(game.id);
      await refresh();
      said.textContent = words.removed;
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  function item(game) {
    const acts = el("div", { class: "row" });
    const usual = [
      el("a", { class: "button", href: `#watch/game/${encodeURIComponent(game.id)}` }, words.watchOne),
      ...fileLinks(game.id),
      button(words.remove, () => {
        acts.replaceChildren(...sure);
        sure[1].focus();
      }),
    ];
    const sure = [
      el("span", {}, words.removeSure),
      button(words.keep, () => {
        acts.replaceChildren(...usual);
        usual.at(-1).focus();
      }),
      button(words.remove, () => remove(game), { class: "danger" }),
    ];
    acts.append(...usual);
    return el(
      "li",
      {},
      el(
        "div",
        {},
        el("b", {}, words.gameName(game.players)),
        el("br"),
        el("span", { class: "small" }, `${words.gameLine(game)} · ${game.when}`),
      ),
      acts,
    );
  }

  async function refresh() {
    problem.textContent = said.textContent = "";
    try {
      const games = await api.games();
      place.replaceChildren(...games.map(item));
      if (!games.length) said.textContent = words.noGames;
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  return { element, refresh };
}
