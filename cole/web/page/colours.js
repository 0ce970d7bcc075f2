// Cividis, colours that read the same for colour-blind eyes and in print; dark means good, as in the figures.

import { short, words } from "./words.js";

const STOPS = [
  "#00224e",
  "#123570",
  "#3b496c",
  "#575d6d",
  "#707173",
  "#8a8678",
  "#a59c74",
  "#c3b369",
  "#e1cc55",
  "#fee838",
].map((hex) => [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16)));
const CROWD = 12; // beyond so many strategies most have a centrality close to 1

/** The colour of a share from 0 (dark) to 1 (light), as [red, green, blue]. */
function cividis(share) {
  const place = Math.min(1, Math.max(0, share)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(place));
  return STOPS[low].map((from, i) => Math.round(from + (STOPS[low + 1][i] - from) * (place - low)));
}

const css = (rgb) => `rgb(${rgb.join(" ")})`;

/** Black or white, whichever can be read on the colour. */
const inkOn = ([red, green, blue]) => (0.3 * red + 0.59 * green + 0.11 * blue > 115 ? "#000000" : "#ffffff");

/** A scale: `share(value, row)` from 0 to 1, where 1 is the dark end; `low` and `high` are words for both ends. */
function scale(share, low, high) {
  const colour = (value, row) => cividis(1 - share(value, row));
  return {
    paint: (value, row) => css(colour(value, row)),
    ink: (value, row) => inkOn(colour(value, row)),
    share,
    low,
    high,
  };
}

/** Colours from the light to the dark end. */
export const steps = () => Array.from({ length: 41 }, (_, i) => css(cividis(1 - i / 40)));

/** From the lowest to the highest of the values, high dark. */
export function highIsDark(values) {
  const known = values.flat().filter((value) => value !== null);
  const low = Math.min(...known),
    high = Math.max(...known);
  return scale((value) => (value - low) / (high - low || 1), short(low), short(high));
}

/** The highest of every row is dark: for shares, which get smaller as a population grows. */
export function highestOfRowIsDark(values) {
  const highest = values.map((row) => Math.max(...row.filter((value) => value !== null)) || 1);
  return scale((value, row) => value / highest[row], "0", words.highestOfRow);
}

/** Preference centrality: 0, preferred by all, is dark; in a crowd cubed. */
export function centralityScale(count) {
  return scale((value) => 1 - (count > CROWD ? value ** 3 : value), "1", "0");
}
