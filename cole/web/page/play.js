// The play view: from the form through one game to the next; tells the server what the player does, shows the answers.

import { button, el } from "./dom.js";
import { gamepad } from "./gamepad.js";
import { hands as makeHands } from "./hands.js";
import { keyboard } from "./keys.js";
import { loadSprites } from "./kitchen.js";
import { touchPad } from "./pad.js";
import { joinForm, setupForm } from "./setup.js";
import { connect, forgetToken, keptToken } from "./socket.js";
import { table } from "./table.js";
import * as veils from "./veils.js";
import { sentence, words } from "./words.js";

const PAD = "cole-pad"; // whether the visitor wants the on-screen pad

function wantsPad() {
  const kept = localStorage.getItem(PAD);
  return kept ? kept === "yes" : matchMedia("(pointer: coarse)").matches;
}

/** Fills the section; gives {show(rest of the address), hide()} to the router. */
export function playView(section) {
  let line = null; // to the server
  let screen = null; // of the game
  let welcome = null;
  let form = null;
  let asked = null; // the frame that began this game
  let running = false;
  let ended = false;
  let pausedByMe = false;
  let thinking = false;

  const active = () => running && !section.hidden;
  const listening = () => active() || (pausedByMe && !section.hidden);
  const hands = makeHands((action) => active() && line.send({ type: "act", action }));
  keyboard(hands, listening, togglePause);
  gamepad(hands, listening, togglePause);
  document.addEventListener("visibilitychange", () => document.hidden && pause(true));

  // The form

  async function showForm(invite = null, sentence = "") {
    line?.close();
    line = screen = welcome = null;
    running = pausedByMe = false;
    try {
      await loadSprites();
      form = await (invite
        ? joinForm(invite, begin, () => {
            location.hash = "#play";
          })
        : setupForm(begin));
      section.replaceChildren(form.element);
      if (sentence) form.fail(sentence);
    } catch (error) {
      section.replaceChildren(el("p", { class: "error card", role: "alert" }, error.message));
    }
  }

  function begin(frame) {
    forgetToken();
    line?.close();
    asked = frame;
    thinking = Boolean(frame.thoughts);
    line = connect(frame, hear, status);
  }

  // What the server says

  const answers = { welcome: welcomed, waiting, countdown, state, paused, end, again, error: failed };
  const hear = (frame) => answers[frame.type]?.(frame);

  function welcomed(frame) {
    if (screen && !ended && frame.token === welcome.token) return; // back in the game that is on the screen
    welcome = frame;
    ended = running = pausedByMe = false;
    hands.rest();
    screen = table(
      frame,
      { pause: togglePause, leave, pad: togglePad, thoughts: toggleThoughts },
      touchPad(hands, active),
    );
    section.replaceChildren(screen.element);
    scrollTo(0, 0);
    screen.setPad(wantsPad());
    screen.setThoughts(thinking);
    if (location.hash.startsWith("#join")) history.replaceState(null, "", "#play");
    screen.cover(...veils.notice(words.ready, ""));
  }

  function waiting() {
    running = false;
    const leaveButton = button(words.otherGame, other);
    screen.cover(
      ...(ended ? veils.notice(words.waitingTitle, words.waitingAgain, leaveButton) : veils.waiting(welcome.invite)),
    );
  }

  function countdown(frame) {
    running = false;
    screen.cover(...veils.countdown(frame.seconds));
  }

  function state(frame) {
    if (frame.t > 0 && !running && !pausedByMe) {
      running = true;
      screen.uncover();
      if (frame.thoughts && !thinking) showThoughts(true); // as it was before a reload
    }
    screen.show(frame);
    hands.tick(welcome.tick);
  }

  function paused(frame) {
    running = !frame.on;
    pausedByMe = frame.on && frame.why === "you";
    hands.rest();
    if (frame.on) screen.cover(...veils.paused(frame.why, togglePause));
    else screen.uncover();
  }

  function end(frame) {
    screen.say("");
    over(veils.receipt(welcome, frame, { again: frame.why === "time" ? askAgain : null, other }));
  }

  function over(content) {
    ended = true;
    running = pausedByMe = false;
    forgetToken();
    screen.close();
    screen.cover(...content);
  }

  function again() {
    screen?.say(words.partnerWantsAgain);
  }

  function failed(frame) {
    const text = sentence(frame.error);
    if (!frame.fatal && screen) screen.say(text, "bad");
    else if (form && !screen) form.fail(text);
    else showForm(null, text);
  }

  function status(word) {
    if (!screen && word === "gone") return form ? form.fail(words.noServer) : showForm(null, words.noServer);
    if (!screen || ended) return;
    if (word === "gone")
      over(veils.notice(words.goneTitle, words.gone, button(words.otherGame, other, { class: "main" })));
    screen.say(words.line[word], word === "lost" ? "bad" : "");
    screen.element.classList.toggle("lost", word === "lost");
  }

  // What the player wants

  function pause(on) {
    if (screen && !ended && (on ? running : pausedByMe)) line.send({ type: "pause", on });
  }

  function togglePause() {
    pause(!pausedByMe);
  }

  function togglePad() {
    localStorage.setItem(PAD, wantsPad() ? "no" : "yes");
    screen.setPad(wantsPad());
    screen.stage.focus({ preventScroll: true });
  }

  function showThoughts(on) {
    thinking = on;
    screen.setThoughts(on);
  }

  function toggleThoughts() {
    showThoughts(!thinking);
    line.send({ type: "thoughts", on: thinking });
    screen.stage.focus({ preventScroll: true });
  }

  function leave() {
    if (!line.send({ type: "leave" })) other();
  }

  function askAgain() {
    if (line.closed) return asked?.type === "new" ? begin(asked) : other();
    line.send({ type: "again" });
  }

  function other() {
    forgetToken();
    showForm();
  }

  /** Called by the router: `#join/INVITE` or `#play`. */
  async function show([kind, invite]) {
    if (screen && !invite) return;
    const token = keptToken();
    if (token && !screen) {
      section.replaceChildren(el("p", { class: "card", role: "status" }, words.returning));
      await loadSprites().catch(() => {});
      line = connect({ type: "return", token }, hear, status);
    } else await showForm(kind === "join" ? invite : null);
  }

  return { show, hide: () => pause(true) };
}
