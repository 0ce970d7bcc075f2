// The game graph (who earns what with whom) and the preference graph (whom each would choose), at any generation.

import { CENTRE, circle, CROWD, figure, places } from "./circle.js";
import { centralityScale, highIsDark } from "./colours.js";
import { svg } from "./dom.js";
import { words } from "./words.js";

const alive = (population, t) => population.names.map((_, i) => i).filter((i) => population.eta[t][i] !== null);

/** The game graph; `show(t)` draws generation t. */
export function gameGraph(population) {
  const { names, payoff } = population;
  const both = (i, j) => (payoff[i][j] + payoff[j][i]) / 2;
  const scale = highIsDark(payoff);
  const where = places(names.length);
  let living = [];

  function describe(i) {
    const best = living.filter((j) => j !== i).sort((a, b) => both(i, b) - both(i, a))[0];
    return words.nodeGame(
      names[i],
      payoff[i][i],
      best === undefined ? null : names[best],
      best === undefined ? 0 : both(i, best),
    );
  }

  const drawn = circle(words.gameGraph, names, describe);

  function edge([i, j]) {
    const share = scale.share(both(i, j));
    const line = svg("line", {
      x1: where[i][0],
      y1: where[i][1],
      x2: where[j][0],
      y2: where[j][1],
      class: "edge",
      "data-ends": `${i} ${j}`,
    });
    line.style.strokeWidth = 0.6 + (names.length > CROWD ? 1.6 : 4) * share;
    line.style.opacity = 0.12 + 0.8 * share ** 2;
    return line;
  }

  function show(t) {
    living = alive(population, t);
    const pairs = living
      .flatMap((i, k) => living.slice(k + 1).map((j) => [i, j]))
      .sort((a, b) => both(...a) - both(...b));
    const kept = living.length > CROWD ? pairs.slice(-Math.ceil(pairs.length / 4)) : pairs;
    drawn.edges.replaceChildren(...kept.map(edge));
    drawn.nodes.forEach((node, i) => {
      node.setAttribute("r", names.length > CROWD ? 5 : 11);
      node.style.fill = scale.paint(payoff[i][i]);
      node.classList.toggle("unborn", !living.includes(i));
    });
    drawn.tell();
  }

  const many = names.length > CROWD ? words.bestPairs : words.allPairs;
  return { element: figure(words.gameGraph, words.gameGraphNote(many), drawn), show };
}

/** An arrow bent towards the middle, ending at the rim of the node. */
function arrow(from, to, radius) {
  const middle = [0, 1].map((k) => (from[k] + to[k]) / 2);
  const bend = middle.map(
    (value, k) => value + (CENTRE - value) * 0.28 + (k ? from[0] - to[0] : to[1] - from[1]) * 0.09,
  );
  const length = Math.hypot(to[0] - bend[0], to[1] - bend[1]) || 1;
  const tip = [0, 1].map((k) => to[k] - ((to[k] - bend[k]) / length) * (radius + 3));
  return `M${from}Q${bend} ${tip}`;
}

/** The preference graph; `show(t)` draws generation t. */
export function preferenceGraph(population) {
  const { names, preferred, eta } = population;
  const crowd = names.length > CROWD;
  const where = places(names.length);
  let now = 0;
  const fans = (i) => preferred[now].filter((target) => target === i).length;
  const describe = (i) => words.nodePreference(names[i], names[preferred[now][i]] ?? null, fans(i), eta[now][i]);
  const drawn = circle(words.preferenceGraph, names, describe);
  drawn.picture.prepend(
    svg(
      "defs",
      {},
      svg(
        "marker",
        {
          id: "tip",
          viewBox: "0 0 8 8",
          refX: 6,
          refY: 4,
          markerWidth: crowd ? 5 : 7,
          markerHeight: crowd ? 5 : 7,
          orient: "auto-start-reverse",
          markerUnits: "userSpaceOnUse",
        },
        svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }),
      ),
    ),
  );
  const radius = (i) => (crowd ? 4 : 9) + Math.min(crowd ? 7 : 9, fans(i) * (crowd ? 0.9 : 3));

  function show(t) {
    now = t;
    const scale = centralityScale(alive(population, t).length);
    drawn.edges.replaceChildren(
      ...preferred[t].flatMap((target, i) =>
        target === null
          ? []
          : [
              svg("path", {
                d: arrow(where[i], where[target], radius(target)),
                class: "edge",
                "marker-end": "url(#tip)",
                "data-ends": `${i} ${target}`,
              }),
            ],
      ),
    );
    drawn.nodes.forEach((node, i) => {
      const value = eta[t][i];
      node.setAttribute("r", radius(i));
      node.style.fill = scale.paint(value ?? 1);
      node.classList.toggle("unborn", value === null);
    });
    drawn.tell();
  }

  return { element: figure(words.preferenceGraph, words.preferenceGraphNote, drawn), show };
}
