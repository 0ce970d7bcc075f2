// Asks the server; whatever goes wrong becomes an Error whose message is one sentence for the visitor.

import { sentence, words } from "./words.js";

const kept = new Map(); // answers that never change while the page is open

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(words.noServer);
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error ? sentence(answer.error) : words.refused(response.status));
}

const json = async (path, options) => (await ask(path, options)).json();
const sent = (body) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

function once(path) {
  if (!kept.has(path)) {
    const answer = json(path);
    kept.set(path, answer);
    answer.catch(() => kept.delete(path));
  }
  return kept.get(path);
}

export const about = () => once("/api/about");
export const kitchens = () => once("/api/kitchens");
export const sprites = () => once("/api/sprites");
export const players = (kitchen) => once(`/api/players?kitchen=${encodeURIComponent(kitchen)}`);

export const watch = (pair) => json("/api/watch", sent(pair));
export const replay = (recording) => json("/api/replay", sent(recording));
export const film = async (recording, as) => (await ask(`/api/film?as=${as}`, sent(recording))).blob();

export const games = () => json("/api/games");
export const game = (id) => json(`/api/games/${encodeURIComponent(id)}`);
export const gameFile = (id, kind) => `/api/games/${encodeURIComponent(id)}.${kind}`;
export const remove = (id) => ask(`/api/games/${encodeURIComponent(id)}`, { method: "DELETE" });

export const populations = () => json("/api/populations");
export const population = (id) => json(`/api/populations/${encodeURIComponent(id)}`);
export const playAll = (id) => ask(`/api/populations/${encodeURIComponent(id)}/replay`, { method: "POST" });
export const pairGame = (id, first, second, episode = 0) =>
  json(`/api/populations/${encodeURIComponent(id)}/game?first=${first}&second=${second}&episode=${episode}`);
