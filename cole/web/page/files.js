// A game as a file to keep: JSON, GIF or one HTML page.

import * as api from "./api.js";
import { el, save } from "./dom.js";
import { words } from "./words.js";

const KINDS = ["json", "gif", "html"];

/** Links to the files of a stored game. */
export const fileLinks = (id) =>
  KINDS.map((kind) =>
    el(
      "a",
      {
        class: "button",
        href: api.gameFile(id, kind),
        download: true,
        "aria-label": `${words.download} ${words.files[kind]}`,
      },
      words.files[kind],
    ),
  );

/** Buttons that make files of a game which the server has not stored. */
export function filmButtons(game, fail) {
  const name = `${game.kitchen.name}-${game.score}`;
  const make = async (kind) => {
    try {
      save(
        `${name}.${kind}`,
        kind === "json" ? new Blob([JSON.stringify(game.recording)]) : await api.film(game.recording, kind),
      );
    } catch (error) {
      fail(error.message);
    }
  };
  return KINDS.map((kind) =>
    el(
      "button",
      { type: "button", "aria-label": `${words.download} ${words.files[kind]}`, onclick: () => make(kind) },
      words.files[kind],
    ),
  );
}
