// Small line charts, drawn anew for the width they get: the score of a game over time, the learning curve of a run.

import { el, svg } from "./dom.js";
import { short } from "./words.js";

const HEIGHT = 150,
  LEFT = 44,
  BOTTOM = 22,
  TOP = 12,
  RIGHT = 14;

/** About `count` round numbers from `low` to `high`. */
export function rounds(low, high, count = 4) {
  const rough = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const stride = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const first = Math.ceil(low / stride);
  return Array.from({ length: Math.floor(high / stride + 1e-9) - first + 1 }, (_, i) => (first + i) * stride);
}

function brief(number) {
  if (number >= 1e6) return `${Number((number / 1e6).toFixed(2))} M`;
  return number >= 1e4 ? `${Number((number / 1e3).toFixed(1))} k` : short(number);
}

function path(points, stairs) {
  return points
    .map(([x, y], i) => {
      if (!i) return `M${x} ${y}`;
      return stairs ? `H${x}V${y}` : `L${x} ${y}`;
    })
    .join("");
}

/** Where the values of a chart lie in a picture so wide: {across(x), up(y), back(pixel)}. */
function frame(xs, ys, width) {
  const low = Math.min(0, ...ys),
    high = Math.max(...ys) || 1,
    first = xs[0],
    span = xs.at(-1) - first || 1;
  const room = width - LEFT - RIGHT;
  return {
    low,
    high,
    across: (x) => LEFT + (room * (x - first)) / span,
    up: (y) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (y - low)) / (high - low),
    back: (pixel) => first + ((pixel - LEFT) / room) * span,
  };
}

function axes(xs, { low, high, across, up }, width) {
  const lines = rounds(low, high).flatMap((y) => [
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: up(y), y2: up(y), class: "grid" }),
    svg("text", { x: LEFT - 6, y: up(y) + 4, "text-anchor": "end" }, brief(y)),
  ]);
  const below = rounds(xs[0], xs.at(-1), Math.max(2, Math.floor(width / 90))).map((x) =>
    svg("text", { x: across(x), y: HEIGHT - 5, "text-anchor": "middle" }, brief(x)),
  );
  return [...lines, ...below];
}

/**
 * A chart of ys over xs. Options: `label` (what it shows, in words), `stairs`, `describe(x, y)` for the line of text
 * under it. Gives {element, point(index)}: `point` moves the cursor.
 */
export function chart(xs, ys, { label, stairs = false, describe }) {
  const cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
  const dot = svg("circle", { class: "dot", r: 5 });
  const picture = svg("svg", { class: "chart", role: "img", "aria-label": label, height: HEIGHT });
  const text = el("p", { class: "small reading" });
  const element = el("div", { class: "chart-room" }, picture, describe ? text : null);
  let now = xs.length - 1;
  let at = frame(xs, ys, 600);

  function draw(width) {
    at = frame(xs, ys, width);
    const points = xs.map((x, i) => [at.across(x).toFixed(1), at.up(ys[i]).toFixed(1)]);
    picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    picture.replaceChildren(
      ...axes(xs, at, width),
      svg("path", { d: path(points, stairs), class: "curve" }),
      cursor,
      dot,
    );
    point(now);
  }

  function point(index) {
    now = index;
    const x = at.across(xs[index]),
      y = at.up(ys[index]);
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", y);
    text.textContent = describe ? describe(xs[index], ys[index]) : "";
  }

  function follow(event) {
    const wanted = at.back(event.clientX - picture.getBoundingClientRect().left);
    point(xs.reduce((best, x, i) => (Math.abs(x - wanted) < Math.abs(xs[best] - wanted) ? i : best), 0));
  }

  if (describe) picture.addEventListener("pointermove", follow);
  new ResizeObserver(([entry]) => draw(Math.max(200, Math.round(entry.contentRect.width)))).observe(element);
  draw(600);
  return { element, point };
}
