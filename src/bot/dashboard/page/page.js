// The page: follows the daemon's live stream, draws each update, and says so when what it shows is old.

import { connectActions, keepToken, storedToken } from "./actions.js";
import { update } from "./dom.js";
import { fold, follow } from "./stream.js";
import { page } from "./view.js";
import { durationText } from "./words.js";

/** @import { State } from "./stream.js" */

const RETRY_MS = 1000;
/** Updates come each second. */
const STALE_MS = 3500;
const HTTP_UNAUTHORIZED = 401;

const view = /** @type {HTMLElement} */ (document.getElementById("view"));
const unlock = /** @type {HTMLFormElement} */ (document.getElementById("unlock"));
const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("ask"));

/** @type {State | null} */
let state = null;
let seenMs = performance.now();
let chosen = "";

function draw() {
  const silentMs = performance.now() - seenMs;
  const isStale = silentMs > STALE_MS;
  document.title = isStale ? "Quoin: stale" : titleOf(state);
  view.className = isStale ? "outdated" : "";
  if (state === null) return;
  update(view, page(state, chosen, isStale ? `the daemon has not answered for ${durationText(silentMs)}` : ""));
}

/** @type {(shown: State | null) => string} */
const titleOf = (shown) => (shown === null || shown.status.reasons.length === 0 ? "Quoin" : "Quoin: not ready");

async function stream() {
  try {
    const status = await follow(storedToken(), (event, message) => {
      state = fold(state, event, message);
      seenMs = performance.now();
      unlock.hidden = true;
      draw();
    });
    if (status === HTTP_UNAUTHORIZED) unlock.hidden = false;
  } catch {
    // The daemon is away: what is shown grows stale, and says so.
  }
  setTimeout(() => void stream(), RETRY_MS);
}

/** A token in the address's fragment goes to this tab's storage: no server, log or history sees it. */
function keepFragment() {
  const given = /^#(?:token=)?(.+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  keepToken(given);
  history.replaceState(null, "", location.pathname);
}

unlock.addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(String(new FormData(unlock).get("token")).trim());
  unlock.reset();
});
view.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button?.dataset.choose === undefined) return;
  chosen = button.dataset.choose;
  draw();
});
keepFragment();
connectActions(view, dialog);
setInterval(draw, RETRY_MS);
void stream();
