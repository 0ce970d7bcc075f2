// The line to the server during a game: it keeps the token of this tab and comes back by itself when it breaks.

const TOKEN = "cole-token";
const PATIENCE = 30_000; // ms for which the server keeps a seat free
const LONGEST_WAIT = 2_000; // ms between two tries

/** The token of a game that this tab was in, or null. */
export const keptToken = () => sessionStorage.getItem(TOKEN);
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

/**
 * Opens a line and sends `first`. `onframe(frame)` gets what the server says; `onstatus(word)` gets
 * "connecting", "open", "lost" (it is trying again) or "gone" (it gave up).
 */
export function connect(first, onframe, onstatus) {
  let socket = null;
  let closed = false; // by us: nothing more to say
  let lostAt = 0;
  let tries = 0;
  let timer = 0;

  function open(frame) {
    onstatus(lostAt ? "lost" : "connecting");
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    socket.onopen = () => socket.send(JSON.stringify(frame));
    socket.onmessage = (event) => hear(JSON.parse(event.data));
    socket.onclose = broken;
  }

  function hear(frame) {
    if (closed) return;
    if (frame.type === "welcome") sessionStorage.setItem(TOKEN, frame.token);
    if (frame.type === "end") forgetToken();
    if (frame.type === "error" && frame.fatal) {
      forgetToken();
      close();
    } else if (frame.type !== "error") {
      lostAt = tries = 0;
      onstatus("open");
    }
    onframe(frame);
  }

  function broken() {
    if (closed) return;
    lostAt ||= Date.now();
    const token = keptToken();
    if (!token || Date.now() - lostAt > PATIENCE) {
      closed = true;
      onstatus("gone");
      return;
    }
    onstatus("lost");
    timer = setTimeout(open, Math.min(LONGEST_WAIT, 200 * 2 ** tries++), { type: "return", token });
  }

  function close() {
    closed = true;
    clearTimeout(timer);
    socket.close();
  }

  /** Sends if the line is open, and says whether it was. */
  function send(frame) {
    const open = socket.readyState === WebSocket.OPEN;
    if (open) socket.send(JSON.stringify(frame));
    return open;
  }

  open(first);
  return {
    send,
    close,
    get closed() {
      return closed;
    },
  };
}
