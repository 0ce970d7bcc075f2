// The buttons under a kitchen, and the line that tells the keys.

import { button, el, icon } from "./dom.js";
import { words } from "./words.js";

/** A line that says which key does what. */
export const keyLine = (lines) =>
  el(
    "p",
    { class: "keys" },
    lines.map(([keys, what]) =>
      el(
        "span",
        {},
        keys.map((key) => el("kbd", {}, key)),
        ` ${what}`,
      ),
    ),
  );

/** Pause, pad, thoughts, leave: `acts` has a function for each. Gives {element, pad, thoughts}. */
export function toolButtons(acts) {
  const pause = button([icon("M6 4h4v16H6zM14 4h4v16h-4z"), words.pause], acts.pause, {
    "aria-keyshortcuts": "P",
  });
  const pad = button([icon("M9 3h6v6h6v6h-6v6H9v-6H3V9h6z"), words.pad], acts.pad, { "aria-pressed": "false" });
  const thoughts = button(
    [icon("M12 4c5 0 9 3 9 7s-4 7-9 7l-5 3 1-4c-3-1-5-3-5-6 0-4 4-7 9-7z"), words.thoughts],
    acts.thoughts,
    { "aria-pressed": "false" },
  );
  const leave = button([icon("M5 5l14 14M19 5L5 19"), words.leave], acts.leave);
  leave.querySelector("path").setAttribute("class", "stroke");
  return { element: el("div", { class: "row buttons" }, pause, pad, thoughts, leave), pad, thoughts };
}
