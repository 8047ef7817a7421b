// The page: follows the daemon's live stream, draws each update, and says when its data is old.

import { render } from "preact";
import { connectActions } from "./actions.js";
import { html } from "./html.js";
import { closeMenus } from "./menus.js";
import { askRisk } from "./risk.js";
import { watch } from "./session.js";
import { askMeanings, noMeanings } from "./settings.js";
import { fold } from "./stream.js";
import { showTab } from "./tab.js";
import { foundIn, Page } from "./view.js";
import { badgeOf, durationText } from "./words.js";

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
let meanings = noMeanings;
/** Hash of the configuration to which the meanings belong. */
let meant = "";
let silentMs = 0;
/** A fleet's node serves the page of each account in addition to the fleet's page. */
const home = location.pathname.endsWith("/account") ? "./" : "";

function draw() {
  const stale = silentMs > 0 ? `the daemon has not answered for ${durationText(silentMs)}; trying again` : "";
  const said = saidOf(state);
  showTab(titleOf(state, said), state !== null && said !== "ready");
  view.className = silentMs > 0 ? "outdated" : "";
  if (state !== null) render(html`<${Page} ...${{ state, chosen, stale, risk, meanings, home, choose }} />`, view);
}

/** @type {(place: string) => void} */
function choose(place) {
  chosen = place;
  draw();
}

/** @type {(shown: State | null) => "stale" | "halted" | "ready" | "not ready"} */
function saidOf(shown) {
  if (silentMs > 0 || shown === null) return "stale";
  const { accounts, reasons } = shown.status;
  if (accounts.some(({ markets }) => markets.some(({ state: of }) => of === "halted"))) return "halted";
  return reasons.length === 0 ? "ready" : "not ready";
}

/**
 * State first, then the kind of money, because a tab is narrow.
 *
 * @type {(shown: State | null, said: ReturnType<typeof saidOf>) => string}
 */
function titleOf(shown, said) {
  if (shown === null) return "Quoin";
  if (said === "stale") return "Quoin: stale";
  const { word } = badgeOf(shown.status.chainId, foundIn(shown.status, chosen)?.account.isPaper ?? false);
  return `Quoin: ${said}, ${word}`;
}

view.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button?.dataset.ask !== "risk") return;
  void askRisk().then((answer) => {
    risk = answer;
    draw();
  });
});
connectActions(view, dialog, () => state?.status.tokenCommand ?? "token");
closeMenus();
watch(
  (event, /** @type {Message} */ message) => {
    state = fold(state, event, message);
    if (meant === state.status.config) return;
    meant = state.status.config;
    void askMeanings().then((answer) => {
      meanings = answer;
    });
  },
  (silent) => {
    silentMs = silent;
    draw();
  },
);
