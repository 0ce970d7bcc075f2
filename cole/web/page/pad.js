// The on-screen pad: a cross for the left thumb, one large button for the right one. A thumb may slide over the cross.

import { el, icon } from "./dom.js";
import { EAST, INTERACT, NORTH, SOUTH, WEST } from "./hands.js";
import { words } from "./words.js";

const ARROWS = [
  [NORTH, "north", "M12 5l8 11H4z"],
  [WEST, "west", "M5 12l11-8v16z"],
  [EAST, "east", "M19 12L8 4v16z"],
  [SOUTH, "south", "M12 19l8-11H4z"],
];

function key(action, place, path) {
  const label = action === INTERACT ? words.use : words.go[action];
  return el(
    "button",
    { type: "button", class: `key ${place}`, "data-action": action, "aria-label": label },
    icon(path),
  );
}

const actionAt = (event) => {
  const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-action]");
  return found ? Number(found.dataset.action) : null;
};

/** The pad; presses go to `hands` while `active()`. */
export function touchPad(hands, active) {
  const cross = el(
    "div",
    { class: "cross" },
    ARROWS.map(([action, place, path]) => key(action, place, path)),
  );
  const use = el(
    "button",
    { type: "button", class: "key use", "data-action": INTERACT, "aria-label": words.use },
    words.useShort,
  );
  const element = el("div", { class: "pad", role: "group", "aria-label": words.padName }, cross, use);
  const fingers = new Map(); // pointer -> the action it holds

  function hold(event, action) {
    const before = fingers.get(event.pointerId);
    if (action === before) return;
    if (before !== undefined) letGo(event);
    if (action === null) return;
    fingers.set(event.pointerId, action);
    element.querySelector(`[data-action="${action}"]`).classList.add("down");
    hands.press(action);
  }

  function letGo(event) {
    const action = fingers.get(event.pointerId);
    if (action === undefined) return;
    fingers.delete(event.pointerId);
    element.querySelector(`[data-action="${action}"]`).classList.remove("down");
    hands.release(action);
  }

  element.addEventListener("pointerdown", (event) => {
    if (!active() || !event.target.closest("[data-action]")) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    hold(event, actionAt(event));
  });
  element.addEventListener("pointermove", (event) => {
    const held = fingers.get(event.pointerId);
    const now = actionAt(event);
    if (held !== undefined && held !== INTERACT && now !== null && now !== INTERACT) hold(event, now);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(name, letGo);
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  // A key pressed on a focused button, or a screen reader's click: one press without a finger.
  element.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-action]");
    if (!pressed || event.detail || !active()) return;
    hands.press(Number(pressed.dataset.action));
    hands.release(Number(pressed.dataset.action));
  });
  return element;
}
