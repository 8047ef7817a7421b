// The request behind each action button of the page, and the text with which an operator confirms it.

import { plain } from "./words.js";

/**
 * An action: its path, what to confirm, and the body without the reason.
 *
 * @typedef {{ readonly kind: string; readonly name: string; readonly value: string; readonly means: string; readonly tighter: string }} Setting
 * @typedef {{ readonly path: string; readonly verb: string; readonly words: string; readonly isDangerous: boolean; readonly body: Readonly<Record<string, unknown>>; readonly setting: Setting | null }} Action
 */

/** By action: path, verb, consequence, and whether it stops or sells. */
/** @type {Readonly<Record<string, readonly [path: string, verb: string, words: (where: string) => string, isDangerous: boolean]>>} */
const deeds = {
  haltMarket: ["halt", "Halt", (where) => `Halt ${where}: cancel our orders there and send no new one.`, true],
  reduce: ["reduce", "Reduce only", (where) => `Let ${where} only reduce its position.`, false],
  resume: ["resume", "Resume", (where) => `Resume ${where}: lift what halts it.`, false],
  resumeAccount: [
    "resume",
    "Resume the account",
    (where) =>
      `The whole account is held: a resume of ${where} alone would lift nothing of that. Resume the account: lift it, and what holds its markets.`,
    false,
  ],
  halt: ["halt", "Halt everything", () => "Halt everything: cancel every order of ours and send no new one.", true],
  resumeAll: ["resume", "Resume everything", () => "Resume everything: lift every latch.", false],
  previewSaved: [
    "preview",
    "Preview",
    () => "What the configuration file would change if it were loaded as it is saved now. This changes nothing.",
    false,
  ],
  flatten: [
    "flatten",
    "Flatten",
    () => "Flatten: close what is held, at a loss if need be. Everything must be halted first.",
    true,
  ],
  haltFleet: [
    "fleet/halt",
    "Halt the fleet",
    () => "Halt the fleet: on every account, whichever node holds it, cancel our orders and send no new one.",
    true,
  ],
  resumeFleet: [
    "fleet/resume",
    "Resume the fleet",
    () => "Resume the fleet: lift every latch of every account, whichever node holds it.",
    false,
  ],
};
/** Actions for the market, or the whole account, in whose section the button is. */
const OF_A_PLACE = ["haltMarket", "reduce", "resume", "params", "limits"];

/** The action of a link to the page, as a critical event carries it. @type {() => Action} */
export const haltAction = () => actionNamed("halt", "everything", {});

/** @type {(name: string, where: string, body: Action["body"]) => Action} */
function actionNamed(name, where, body) {
  const [path, verb, words, isDangerous] = /** @type {typeof deeds[string]} */ (deeds[name]);
  return { path, verb, words: words(where), isDangerous, body, setting: null };
}

/** Null if the button has none of these actions. @type {(button: HTMLElement) => Action | null} */
export function actionOf(button) {
  const { action = "", name = "", value = "", means = "", tighter = "", order = "", id = "" } = button.dataset;
  const section = /** @type {HTMLElement | null} */ (button.closest("[data-place]"));
  const [account = "", market] = (section?.dataset.place ?? "").split("/");
  const ofMarket = { account, ...(market !== undefined && { market: Number(market) }) };
  const place = OF_A_PLACE.includes(action) ? ofMarket : action === "resumeAccount" ? { account } : {};
  const where = section?.getAttribute("aria-label") ?? "everything";
  if (action === "params" || action === "limits") {
    const words = `${action === "params" ? "Set" : "Tighten"} ${plain(name)} of ${where}, which is ${value}.`;
    const setting = { kind: action, name, value, means, tighter };
    return {
      path: "params",
      verb: action === "params" ? "Set" : "Tighten",
      words,
      isDangerous: false,
      body: place,
      setting,
    };
  }
  if (action === "cancelOrder") {
    const words = `Cancel the ${means} of ${where} (order ${order}). The strategy may place another one at once; only a halt prevents that.`;
    return {
      path: "cancel",
      verb: "Cancel the order",
      words,
      isDangerous: false,
      body: { account, order },
      setting: null,
    };
  }
  if (action === "approve" || action === "refuse") {
    const verb = action === "approve" ? "Approve" : "Refuse";
    const path = `proposals/${encodeURIComponent(id)}/${action}`;
    return { path, verb, words: `${verb} ${means}`, isDangerous: false, body: {}, setting: null };
  }
  return Object.hasOwn(deeds, action) ? actionNamed(action, where, place) : null;
}
