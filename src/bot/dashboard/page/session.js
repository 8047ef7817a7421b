// Connects a page to its daemon: keeps the live stream open, and asks for the token if the daemon requires one.

import { follow } from "./stream.js";

const RETRY_MS = 1000;
/** Updates come every second. */
const STALE_MS = 3500;
const HTTP_UNAUTHORIZED = 401;

/** Storage key of the daemon's HTTP token in this tab. */
const TOKEN = "quoin.token";

export const storedToken = () => sessionStorage.getItem(TOKEN);
/** @type {(token: string) => void} */
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

/**
 * Calls `onMessage` with each message, and `draw` after each and every second. `draw` gets the time without a message, ms; 0 while it is
 * within the limit.
 *
 * @template M
 * @param {(event: string, message: M) => void} onMessage
 * @param {(silentMs: number) => void} draw
 */
export function watch(onMessage, draw) {
  const unlock = /** @type {HTMLFormElement} */ (document.getElementById("unlock"));
  let seenMs = performance.now();
  const redraw = () => {
    const silentMs = performance.now() - seenMs;
    draw(silentMs > STALE_MS ? silentMs : 0);
  };
  async function stream() {
    try {
      const status = await follow(storedToken(), (event, /** @type {M} */ message) => {
        onMessage(event, message);
        seenMs = performance.now();
        unlock.hidden = true;
        redraw();
      });
      if (status === HTTP_UNAUTHORIZED) unlock.hidden = false;
    } catch {
      // The daemon does not answer: the page becomes stale, and says so.
    }
    setTimeout(() => void stream(), RETRY_MS);
  }
  keepFragment();
  unlock.addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(String(new FormData(unlock).get("token")).trim());
    unlock.reset();
  });
  setInterval(redraw, RETRY_MS);
  void stream();
}

/** Moves a token in the address's fragment to this tab's storage: no server, log or history sees it. */
function keepFragment() {
  const given = /^#(?:token=)?(.+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  keepToken(given);
  history.replaceState(null, "", location.pathname + location.search);
}
