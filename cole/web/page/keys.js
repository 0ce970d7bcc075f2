// The keyboard during a game: arrows or WASD walk, space or enter uses what is in front, P pauses.

import { EAST, INTERACT, NORTH, SOUTH, WEST } from "./hands.js";

const MEANING = {
  ArrowUp: NORTH,
  ArrowDown: SOUTH,
  ArrowRight: EAST,
  ArrowLeft: WEST,
  KeyW: NORTH,
  KeyS: SOUTH,
  KeyD: EAST,
  KeyA: WEST,
  Space: INTERACT,
  Enter: INTERACT,
};

const typing = (target) => target.closest("input, select, textarea");
const pressing = (target) => target.closest("button, a, summary");

/** Listens for as long as the page lives; answers while `active()`. */
export function keyboard(hands, active, onpause) {
  function down(event) {
    if (!active() || event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
    if (event.code === "KeyP" && !event.repeat) return onpause();
    const action = MEANING[event.code];
    if (action === undefined || (action === INTERACT && pressing(event.target))) return;
    event.preventDefault(); // no scrolling
    if (!event.repeat) hands.press(action);
  }

  function up(event) {
    const action = MEANING[event.code];
    if (action !== undefined) hands.release(action);
  }

  document.addEventListener("keydown", down);
  document.addEventListener("keyup", up);
  window.addEventListener("blur", hands.rest);
}
