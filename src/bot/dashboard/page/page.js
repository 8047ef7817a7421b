// The page: follows the daemon's live stream, draws each update, and says so when what it shows is old.

import { connectActions } from "./actions.js";
import { update } from "./dom.js";
import { askRisk } from "./risk.js";
import { watch } from "./session.js";
import { fold } from "./stream.js";
import { page } from "./view.js";
import { durationText } from "./words.js";

/**
 * @import { Answer } from "./risk.js"
 * @import { Message, State } from "./stream.js"
 */

const view = /** @type {HTMLElement} */ (document.getElementById("view"));
const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("ask"));

/** @type {State | null} */
let state = null;
let chosen = "";
/** @type {Answer | null} */
let risk = null;
let silentMs = 0;

function draw() {
  const isStale = silentMs > 0;
  document.title = isStale ? "Quoin: stale" : titleOf(state);
  view.className = isStale ? "outdated" : "";
  if (state === null) return;
  update(view, page(state, chosen, isStale ? `the daemon has not answered for ${durationText(silentMs)}` : "", risk));
}

/** @type {(shown: State | null) => string} */
const titleOf = (shown) => (shown === null || shown.status.reasons.length === 0 ? "Quoin" : "Quoin: not ready");

view.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button?.dataset.ask === "risk")
    void askRisk().then((answer) => {
      risk = answer;
      draw();
    });
  if (button?.dataset.choose === undefined) return;
  chosen = button.dataset.choose;
  draw();
});
connectActions(view, dialog);
watch(
  (event, /** @type {Message} */ message) => {
    state = fold(state, event, message);
  },
  (silent) => {
    silentMs = silent;
    draw();
  },
);
