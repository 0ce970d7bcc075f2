// Starts the page: one section per view, the address after # says which is shown.

import { el } from "./dom.js";
import { playView } from "./play.js";
import { populationView } from "./population.js";
import { watchView } from "./watch.js";
import { words } from "./words.js";

const sections = Object.fromEntries(
  ["play", "watch", "population"].map((name) => [name, document.getElementById(name)]),
);
const views = {
  play: playView(sections.play),
  watch: watchView(sections.watch),
  population: populationView(sections.population),
};
let shown = null;

/** `#watch/game/ID` -> ["watch", "game", "ID"]; nothing -> ["play"]. */
function route() {
  const parts = location.hash.slice(1).split("/").map(decodeURIComponent);
  return parts[0] ? parts : ["play"];
}

async function show() {
  const [first, ...rest] = route();
  const name = first === "join" ? "play" : first in views ? first : "play";
  if (shown && shown !== name) views[shown].hide();
  shown = name;
  for (const [each, section] of Object.entries(sections)) section.hidden = each !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${words[`${name}Title`]} · COLE kitchen`;
  try {
    await views[name].show(first === "join" ? [first, ...rest] : rest);
  } catch (error) {
    sections[name].replaceChildren(el("p", { class: "error card", role: "alert" }, error.message));
  }
  document.body.dataset.ready = name;
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
addEventListener("hashchange", show);
show();
