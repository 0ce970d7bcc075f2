// The watch view: two players of a kitchen, a recorded game, a pair of a population, or a file from this device.

import * as api from "./api.js";
import { el } from "./dom.js";
import { fileLinks, filmButtons } from "./files.js";
import { gameList } from "./games.js";
import { loadSprites } from "./kitchen.js";
import { pairForm } from "./pair.js";
import { player } from "./player.js";
import { words } from "./words.js";

const NARROW = "(max-width: 61.99rem)"; // where the film stands above the form
const LARGEST_FILE = 2_000_000; // bytes; a long game has a tenth of that

/** Fills the section; gives {show(rest of the address), hide()} to the router. */
export function watchView(section) {
  const stage = el("div", { class: "screen" }, el("p", { class: "placeholder" }, words.nothingYet));
  const problem = el("p", { class: "error", role: "alert" });
  const status = el("p", { class: "small", role: "status" });
  const games = gameList();
  let current = null;
  let built = false;
  let latest = 0; // only the answer to the latest question is shown

  const fail = (sentence) => {
    problem.textContent = sentence;
  };

  /** Shows the game that `question` brings. */
  async function open(question, wait, files) {
    const mine = ++latest;
    fail("");
    status.textContent = wait;
    try {
      const [game] = await Promise.all([question(), loadSprites()]);
      if (mine !== latest) return;
      current?.pause();
      current = player(game);
      stage.replaceChildren(current.element);
      current.element.append(
        el(
          "div",
          { class: "row files" },
          el("span", { class: "small" }, words.download),
          files ?? filmButtons(game, fail),
        ),
      );
      current.play();
      if (matchMedia(NARROW).matches) stage.scrollIntoView();
    } catch (error) {
      if (mine === latest) fail(error.message);
    }
    if (mine === latest) status.textContent = "";
  }

  async function openFile(event) {
    const [file] = event.target.files;
    if (!file) return;
    await open(async () => {
      if (file.size > LARGEST_FILE) throw new Error(words.notAGame);
      const recording = await file
        .text()
        .then(JSON.parse)
        .catch(() => {
          throw new Error(words.notAGame);
        });
      return recording.frames ? recording : api.replay(recording);
    }, words.loading);
    event.target.value = "";
  }

  async function build() {
    await loadSprites();
    const file = el(
      "label",
      { class: "field" },
      el("span", {}, words.openFile),
      el("input", { type: "file", accept: ".json,application/json", onchange: openFile }),
    );
    section.replaceChildren(
      el("h1", {}, words.watchTitle),
      el("p", { class: "lead" }, words.watchLead),
      el(
        "div",
        { class: "watching" },
        el(
          "div",
          { class: "side" },
          await pairForm((question) => open(question, words.cooking), fail),
          status,
          problem,
          games.element,
          el("div", { class: "card" }, file),
        ),
        stage,
      ),
    );
    built = true;
  }

  /** `#watch`, `#watch/game/ID` or `#watch/pair/POPULATION/FIRST/SECOND`. */
  async function show([kind, ...rest]) {
    if (!built) await build();
    games.refresh();
    if (kind === "game") await open(() => api.game(rest[0]), words.loading, fileLinks(rest[0]));
    if (kind === "pair") await open(() => api.pairGame(...rest), words.cooking);
  }

  return { show, hide: () => current?.pause() };
}
