// What the agent thinks: its action probabilities as bars and around its cook, and the score it still expects.

import { el, svg } from "./dom.js";
import { STEPS } from "./terrain.js";
import { words } from "./words.js";

/** A panel with six bars and a number; `show` takes the server's thoughts, or undefined when there are none. */
export function thoughtsPanel() {
  const rows = words.actions.map((name) => {
    const bar = svg("rect", { class: "bar", height: 10, rx: 3 });
    const number = el("span", { class: "number" }, "–");
    const line = svg(
      "svg",
      { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "groove", width: 100, height: 10, rx: 3 }),
      bar,
    );
    return { bar, number, element: el("li", {}, el("span", {}, name), line, number) };
  });
  const value = el("b", {}, "–");
  const expected = el("p", {}, words.thoughtsValue, " ", value);
  const element = el(
    "section",
    { class: "thoughts card", "aria-label": words.thoughtsTitle, hidden: true },
    el("h2", {}, words.thoughtsTitle),
    el(
      "ul",
      {},
      rows.map((row) => row.element),
    ),
    expected,
  );

  function show(thoughts) {
    if (!thoughts) return;
    thoughts.probabilities.forEach((share, action) => {
      rows[action].bar.setAttribute("width", 100 * share);
      rows[action].number.textContent = `${Math.round(100 * share)} %`;
    });
    expected.hidden = thoughts.value === null; // cooks that were never rewarded expect nothing
    value.textContent = thoughts.value?.toFixed(1);
  }
  return { element, show };
}

/** Marks around the cook that thinks: arrows, a square for stay, a dot for use; the clearer, the likelier. */
export function thoughtsMarks(picture) {
  const { cell } = picture;
  const arrows = STEPS.map(([dx, dy]) => {
    const [x, y] = [dx * 0.62, dy * 0.62];
    const corners = [
      [x + dx * 0.2, y + dy * 0.2],
      [x + dy * 0.17, y - dx * 0.17],
      [x - dy * 0.17, y + dx * 0.17],
    ];
    return svg("polygon", { points: corners.map(([a, b]) => `${a * cell},${b * cell}`).join(" ") });
  });
  const stay = svg("rect", { x: -0.6 * cell, y: -0.6 * cell, width: 0.22 * cell, height: 0.22 * cell, rx: 2 });
  const use = svg("circle", { cx: 0.5 * cell, cy: -0.5 * cell, r: 0.13 * cell });
  const group = svg("g", { class: "marks", "aria-hidden": "true" }, stay, use, arrows);
  picture.over.append(group);

  function show([x, y], thoughts) {
    group.style.display = thoughts ? "" : "none";
    if (!thoughts) return;
    group.style.transform = `translate(${(x + 0.5) * cell}px, ${(y + 0.5) * cell}px)`;
    [...arrows, stay, use].forEach((mark, action) => {
      const share = thoughts.probabilities[action];
      mark.style.opacity = share < 0.02 ? 0 : 0.25 + 0.75 * share;
    });
  }
  show([0, 0], null);
  return { show };
}
