// A gamepad during a game: stick or cross walks, the four right-hand buttons use what is in front, start pauses.

import { EAST, INTERACT, NORTH, SOUTH, WEST } from "./hands.js";

const CROSS = { 12: NORTH, 13: SOUTH, 14: WEST, 15: EAST };
const USE = [0, 1, 2, 3];
const START = 9;
const FIRM = 0.55; // how far the stick has to be pushed

function direction(pad) {
  const pressed = Object.keys(CROSS).find((number) => pad.buttons[number]?.pressed);
  if (pressed) return CROSS[pressed];
  const [x = 0, y = 0] = pad.axes;
  if (Math.max(Math.abs(x), Math.abs(y)) < FIRM) return null;
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? EAST : WEST;
  return y > 0 ? SOUTH : NORTH;
}

/** Looks at the gamepad before every picture, once there is one; answers while `active()`. */
export function gamepad(hands, active, onpause) {
  let before = { way: null, use: false, start: false };

  function look() {
    const pad = navigator.getGamepads().find((each) => each?.connected);
    if (!pad) return;
    requestAnimationFrame(look);
    if (!active()) return;
    const now = {
      way: direction(pad),
      use: USE.some((number) => pad.buttons[number]?.pressed),
      start: Boolean(pad.buttons[START]?.pressed),
    };
    if (now.way !== before.way) {
      if (before.way !== null) hands.release(before.way);
      if (now.way !== null) hands.press(now.way);
    }
    if (now.use && !before.use) hands.press(INTERACT);
    if (now.start && !before.start) onpause();
    before = now;
  }

  addEventListener("gamepadconnected", look);
}
