// The choice of a partner: one card for each kind of cook, and a list of seeds where there are several of a kind.

import { choice, list } from "./choices.js";
import { el } from "./dom.js";
import { familyName, methodName, words } from "./words.js";

const KINDS = ["agent", "human", "cook"];
export const PERSON = "person";

/** Players that differ only in their seed; agents first. The key of a family is the same in every kitchen. */
function families(players) {
  const found = new Map();
  for (const player of players) {
    const key = `${player.kind} ${familyName(player)} ${runOf(player)}`;
    if (!found.has(key))
      found.set(key, { key, kind: player.kind, name: familyName(player), run: runOf(player), members: [] });
    found.get(key).members.push(player);
  }
  return [...found.values()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

/** The part of an agent's name that says how it was trained. */
function runOf({ kind, method, name }) {
  if (kind !== "agent") return "";
  const parts = name.split("/").slice(0, -1);
  const own = parts.includes(method) ? parts.slice(parts.indexOf(method) + 1) : parts.filter((part) => !methodName(part));
  return own.join(" ");
}

/** What the members of a family earn with themselves; of a single one also what it earns with clones of people. */
function points(members) {
  const known = members.map((each) => each.return).filter((each) => typeof each === "number");
  if (members.length === 1 && known.length && members[0].with_people)
    return words.earnsBoth(known[0], members[0].with_people);
  return known.length ? words.earns(Math.min(...known), Math.max(...known)) : "";
}

function options(all) {
  const groups = KINDS.flatMap((kind) => {
    const own = all.filter((family) => family.kind === kind);
    const cards = own.map(({ key, name, run, members }) => ({
      value: key,
      words: name,
      note: [run, points(members)].filter(Boolean).join(", "),
    }));
    return cards.length ? [{ heading: words.kinds[kind] }, ...cards] : [];
  });
  return [...groups, { heading: words.kinds.person }, { value: PERSON, words: words.invite }];
}

/** The fields for the players of a kitchen; `before` is what was chosen until now. Gives {element, value, family}. */
export function partnerChoice(players, before) {
  const all = families(players);
  const about = el("p", { class: "about", "aria-live": "polite" });
  const seedPlace = el("div", { class: "seed" });
  const known = [PERSON, ...all.map((family) => family.key)];
  const first = known.includes(before) ? before : (all[0]?.key ?? PERSON);
  const cards = choice(words.partner, "chips", options(all), first, describe);
  let seed = null;

  function describe(key) {
    const members = all.find((family) => family.key === key)?.members ?? [];
    about.textContent = members[0]?.about ?? words.inviteAbout;
    seed =
      members.length > 1
        ? list(
            words.seed,
            members.map((each) => [each.id, words.seedLine(each)]),
            members[0].id,
          )
        : null;
    seedPlace.replaceChildren(...(seed ? [seed.element] : []));
  }

  describe(first);
  return {
    element: el("div", {}, cards.element, about, seedPlace),
    get family() {
      return cards.value;
    },
    get value() {
      return seed?.value ?? all.find((family) => family.key === cards.value)?.members[0].id ?? PERSON;
    },
  };
}
