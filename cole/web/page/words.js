// Every text of the page, so that it can be read, corrected or translated in one place.

const FACING = ["north", "south", "east", "west"];
const ITEMS = ["nothing", "an onion", "a dish", "a soup"];

/** "cramped_room" -> "Cramped room". */
export function kitchenName(name) {
  const plain = name.replaceAll("_", " ");
  return plain[0].toUpperCase() + plain.slice(1);
}

/** Milliseconds -> "1:05". */
export function clock(ms) {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What a folder calls a method, for people: "cole-1to3-default" -> "COLE 1:3, our settings"; else nothing. */
export function methodName(part) {
  const [, own, others, recipe] = part.match(/^cole-(\d+)to(\d+)(?:-(.+))?$/) ?? [];
  return own ? words.ratio(own, others, words.recipes[recipe] ?? recipe) : words.methods[part.replaceAll("-", "_")];
}

/** A player's name for people: "sp/quick-seed0/seed-1" -> "Self-play, seed 1", "round-004" -> "round 4". */
export function friendly(name) {
  if (words.people.includes(name)) return words.aPerson;
  const parts = name.split("/");
  const seed = parts.at(-1).match(/^seed-(\d+)$/);
  const method = parts.map(methodName).find(Boolean);
  if (seed && method) return words.agentName(method, seed[1]);
  return name.replaceAll("_", " ").replace(/^(round|start)-0*(\d+)$/, "$1 $2");
}

/** A player's name without its seed: its method, or the variant of it that a folder is called after. */
export function familyName({ name, method }) {
  const plain = words.methods[method];
  const variant = name.split("/").map(methodName).find((found) => found?.startsWith(plain));
  return variant ?? plain ?? friendly(name.replace(/\/seed-\d+$/, ""));
}

/** As short as it can be beside a matrix: "round 4" -> "4", "start 0" -> "s0". */
export const tiny = (name) => name.replace(/^round (\d+)$/, "$1").replace(/^start (\d+)$/, "s$1");

/** Everybody but the one in `seat`. */
export const partnerNames = (names, seat) =>
  names
    .filter((_, number) => number !== seat)
    .map((name) => (words.people.includes(name) ? words.anotherPerson : friendly(name)))
    .join(", ") || words.nobody;

/** A sentence of the server as a sentence of the page. */
export function sentence(text) {
  const whole = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}

/** A number short enough for a cell or a sentence. */
export const short = (number) =>
  Number.isInteger(number) ? String(number) : number.toFixed(Math.abs(number) < 10 ? 2 : 1);

export const words = {
  noServer: "The kitchen does not answer; is the server still running?",
  refused: (status) => `The server refused this (${status}).`,
  nobody: "nobody",
  agentName: (method, seed) => `${method}, seed ${seed}`,
  methods: {
    cole: "COLE",
    sp: "Self-play",
    pbt: "PBT",
    fcp: "FCP",
    mep: "MEP",
    trajedi: "TrajeDi",
    hsp: "HSP",
    e3t: "E3T",
    op: "Other-Play",
    sp_random_starts: "Self-play, random starts",
    ppo_bc: "PPO with clones",
    best_response: "Best response",
    bc: "Cloned cook",
    h_proxy: "Human proxy",
  },

  ratio: (own, others, numbers) => `COLE ${own}:${others}${numbers ? `, ${numbers}` : ""}`,
  recipes: { default: "our settings", paper: "paper's settings", authors: "authors' settings" },

  // The scene
  items: ITEMS,
  at: (what, x, y) => `${what} at column ${x + 1}, row ${y + 1}`,
  cookAt: (seat, facing, held, x, y) =>
    `cook ${seat + 1} facing ${FACING[facing]}${held ? ` with ${ITEMS[held]}` : ""} at column ${x + 1}, row ${y + 1}`,
  potReady: "a pot with a soup ready",
  potCooking: (left) => `a pot cooking, ${left} ticks left`,
  potOnions: (onions) => ["an empty pot", "a pot with 1 onion", "a pot with 2 onions"][onions],
  kitchenLabel: (name) => `${name}`,

  // Before a game
  playTitle: "Cook together",
  playLead:
    "Three onions make a soup. Put it on a dish when it is done, bring it to the bell: 20 points. You and your partner have never practised.",
  kitchen: "Kitchen",
  partner: "Partner",
  kinds: {
    agent: "Agents that learned",
    human: "Imitates people",
    cook: "Cooks written by hand",
    person: "Another person",
  },
  invite: "Invite somebody",
  inviteAbout: "You get a link to hand on; the game begins when it is opened.",
  earns: (low, high) =>
    `${Math.round(low)}${Math.round(high) > Math.round(low) ? ` to ${Math.round(high)}` : ""} points with itself`,
  earnsBoth: (own, clones) => `${Math.round(own)} with itself, ${Math.round(clones)} with clones`,
  seedLine: (player) =>
    `${player.seed ?? player.name}${typeof player.return === "number" ? `, ${Math.round(player.return)} points with itself` : ""}`,
  seatTitle: "Your cook",
  seat: (seat) => `Cook ${seat + 1}`,
  speed: "Speed",
  speeds: [
    [400, "slow"],
    [250, "calm"],
    [150, "normal"],
    [100, "quick"],
  ],
  length: "Length",
  lengths: [
    [200, "short, 200 steps"],
    [400, "usual, 400 steps"],
    [800, "long, 800 steps"],
  ],
  consent: "Keep a recording of this game.",
  showThoughts: "Show what the agent thinks while we cook.",
  start: "Start cooking",
  joinTitle: "You are invited to cook",
  joinLead:
    "Somebody waits for you in the kitchen. Arrow keys or the pad on the screen move your cook, space or the round button uses what is in front of it.",
  join: "Join the game",

  // During a game
  gameTitle: (kitchen, partner) => `Cooking in ${kitchen} with ${partner}`,
  stageLabel: "The kitchen. Arrow keys move, space uses what is in front, P pauses.",
  score: "Score",
  timeLeft: "Time left",
  time: "Time",
  with: "With",
  people: ["person", "another person", "you"], // the server's words for one
  aPerson: "a person",
  anotherPerson: "another person",
  pause: "Pause",
  pad: "Pad",
  padName: "On-screen pad",
  go: ["Up", "Down", "Right", "Left"],
  use: "Use what is in front",
  useShort: "Use",
  thoughts: "Thoughts",
  leave: "Leave",
  keys: [
    [["←", "↑", "↓", "→"], "or"],
    [["W", "A", "S", "D"], "move"],
    [["space"], "use"],
    [["P"], "pause"],
  ],
  secondsLeft: (seconds) => `${seconds} seconds left`,
  plus: (points) => `+${points}`,
  thoughtsTitle: "What your partner thinks",
  thoughtsValue: "Points it still expects, discounted:",
  actions: ["▲ up", "▼ down", "▶ right", "◀ left", "■ stay", "● use"],
  line: { connecting: "Connecting …", open: "", lost: "Connection lost, trying again …", gone: "" },

  // Between
  returning: "Going back to your game …",
  ready: "Warming the stove …",
  paused: "Paused",
  whyPaused: {
    you: "The clock stands still. Press P or the button to go on.",
    partner: "Your partner paused the game.",
    connection: "Your partner lost the connection; the game waits half a minute.",
  },
  resume: "Go on",
  waitingTitle: "Waiting for your partner",
  waitingLead: "Hand this link on. The game begins as soon as it is opened in another window or on another device.",
  waitingAgain: "The game begins as soon as both are there.",
  inviteLink: "Invitation link",
  copy: "Copy",
  copied: "Copied.",
  copyByHand: "Please copy it by hand: the browser did not allow it.",
  whyEnd: { time: "Time is up", left: "The game was left", gone: "Your partner is gone" },
  goneTitle: "The game is over",
  gone: "The connection could not be brought back in time.",
  soups: "Soups",
  recorded: "A recording was kept on this computer. You can watch or delete it.",
  notRecorded: "No recording was kept.",
  again: "Again",
  watchRecording: "Watch the recording",
  otherGame: "Another game",
  partnerWantsAgain: "Your partner would like to cook again.",

  // Watching
  watchTitle: "Watch",
  watchLead: "Let any two cook together, or look at a recorded game step by step.",
  first: "Cook 1",
  second: "Cook 2",
  seed: "Seed",
  watchStart: "Let them cook",
  nothingYet: "Choose two cooks, or a recorded game: it is played here.",
  cooking: "They are cooking …",
  loading: "Loading …",
  recordedGames: "Recorded games",
  noGames: "Nothing has been recorded yet. Tick the box before a game to keep a recording.",
  openFile: "Open a recording from this device",
  notAGame: "This file is not a recorded game.",
  play: "Play",
  stop: "Pause",
  toStart: "To the start",
  back: "One step back",
  on: "One step on",
  step: "Step",
  stepOf: (step, last) => `step ${step} of ${last}`,
  scoreNow: (score) => `score ${score}`,
  speedLabel: "Speed of the film",
  filmSpeeds: [
    [0.25, "¼×"],
    [0.5, "½×"],
    [1, "1×"],
    [2, "2×"],
    [4, "4×"],
    [8, "8×"],
  ],
  scoreChart: "Score over time",
  download: "Download",
  files: { json: "JSON", gif: "GIF", html: "HTML" },
  gameName: (players) => players.map(friendly).join(" and "),
  gameLine: (game) => `${kitchenName(game.kitchen)}, ${game.score} points in ${game.steps} steps`,
  watchOne: "Watch",
  remove: "Delete",
  removeSure: "Really delete?",
  keep: "Keep",
  removed: "The recording was deleted.",
  fileKeys: [
    [["space"], "plays and pauses"],
    [["←", "→"], "one step"],
    [["shift"], "ten"],
  ],

  // Population
  populationTitle: "Population",
  populationLead: "Who earns how much with whom, whom each prefers as a partner, and how that grew.",
  populationChoice: "Run or table",
  unplayed:
    "The strategies of this run have not played with each other yet, so there is no payoff matrix and no graph.",
  replay: "Let them play (about a minute)",
  replaying: "They are playing with each other …",
  noPopulations: "There is no finished run or cross-play table here.",
  payoffTitle: "Payoff",
  payoffNote: "What each row earns with each column. Choose a cell to watch the pair.",
  payoffCell: (row, column, value) => `${row} with ${column}: ${short(value)} points`,
  centralityTitle: "Preference centrality",
  centralityNote: "Row by row one generation; 0: every other prefers this strategy, 1: nobody does.",
  centralityCell: (generation, name, value) =>
    `${generation}, ${name}: ${value === null ? "not yet there" : `centrality ${short(value)}`}`,
  phiTitle: "Chance to be the partner (φ)",
  phiNote: "How likely the learner meets each strategy; the hard ones more often.",
  phiCell: (generation, name, value) => `${generation}, ${name}: φ ${value === null ? "not there" : value.toFixed(3)}`,
  drawsTitle: "Partners drawn",
  drawsNote: "Whom the learner really met.",
  drawsCell: (generation, name, value) =>
    `${generation}, ${name}: ${value === null ? "not there" : `drawn ${short(value)} times`}`,
  graphsTitle: "Graphs by generation",
  generation: "Generation",
  nthGeneration: (number) => `generation ${number}`,
  round: (number) => `round ${number}`,
  highestOfRow: "highest of its row",
  generationOf: (generation, all, name) => `generation ${generation} of ${all}, newest: ${name}`,
  gameGraph: "Game graph",
  gameGraphNote: (drawn) => `A line for ${drawn}; the stronger, the more the two earn together.`,
  allPairs: "every pair",
  bestPairs: "the best quarter of all pairs",
  preferenceGraph: "Preference graph",
  preferenceGraphNote: "Everybody points at the partner it earns most with. Large and dark: preferred by many.",
  nodeGame: (name, own, partner, best) =>
    `${name}: ${short(own)} with itself${partner === null ? "" : `, at most ${short(best)} with ${partner}`}`,
  nodePreference: (name, target, fans, eta) =>
    `${name} prefers ${target ?? "nobody"}; preferred by ${fans}; centrality ${eta === null ? "unknown" : short(eta)}`,
  hint: "Point at a cell, or walk with the arrow keys.",
  hintNode: "Point at a strategy, or walk with the arrow keys.",
  curveTitle: "Learning curve",
  curvePoint: (step, value) => `after ${step.toLocaleString("en")} steps: return ${short(value)}`,
};
