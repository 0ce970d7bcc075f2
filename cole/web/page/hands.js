// What the hands want, on whichever device: a held direction is sent again every tick, INTERACT once a press.

export const NORTH = 0,
  SOUTH = 1,
  EAST = 2,
  WEST = 3,
  STAY = 4,
  INTERACT = 5;
const LATE = 0.6; // of a tick: a direction that is still held then counts for the next one too

/** `send(action)` is called with every action; `press` and `release` come from a device, `tick` after a step. */
export function hands(send) {
  const held = []; // directions in the order they were pressed; the latest counts
  let ticks = 0; // since the latest press; the first may have been on its way before it, so only the second is sure
  let repeated = false; // whether what was sent last is a repetition, which may be taken back
  let timer = 0;

  function press(action) {
    clearTimeout(timer);
    ticks = 0;
    repeated = false;
    if (action !== INTERACT && !held.includes(action)) held.push(action);
    send(action);
  }

  function release(action) {
    const place = held.indexOf(action);
    if (place < 0) return;
    held.splice(place, 1);
    // Who lets go stops in this cell; a short tap, however, is always one step.
    if (repeated) send(held.at(-1) ?? STAY);
    repeated = false;
  }

  function repeat() {
    if (!held.length) return;
    send(held.at(-1));
    repeated = ticks > 1;
  }

  function tick(ms) {
    ticks += 1;
    repeated = false;
    clearTimeout(timer);
    timer = setTimeout(repeat, LATE * ms);
  }

  function rest() {
    clearTimeout(timer);
    held.length = 0;
  }

  return { press, release, tick, rest };
}
