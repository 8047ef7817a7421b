// The fleet's page: follows a node's live stream, draws each update, and lets an operator halt and resume.

import { render } from "preact";
import { connectActions } from "./actions.js";
import { FleetPage, isWell } from "./fleet-view.js";
import { html } from "./html.js";
import { watch } from "./session.js";
import { showTab } from "./tab.js";
import { durationText } from "./words.js";

/** @import { FleetView } from "../fleet.ts" */

const view = /** @type {HTMLElement} */ (document.getElementById("view"));
const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("ask"));

/** @type {FleetView | null} */
let fleet = null;

connectActions(view, dialog, () => fleet?.tokenCommand ?? "token");
watch(
  (_, /** @type {FleetView} */ message) => {
    fleet = message;
  },
  (silentMs) => {
    const said = silentMs > 0 ? ": stale" : isWell(fleet) ? "" : ": look";
    showTab(`Quoin fleet${said}`, fleet !== null && said !== "");
    view.className = silentMs > 0 ? "outdated" : "";
    const stale = silentMs > 0 ? `the node has not answered for ${durationText(silentMs)}; trying again` : "";
    if (fleet !== null) render(html`<${FleetPage} view=${fleet} stale=${stale} />`, view);
  },
);
