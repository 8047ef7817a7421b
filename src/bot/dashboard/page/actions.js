// Operator actions from the page: confirmed once, sent with the token and the reason, and answered in a sentence. A change of a setting can
// be previewed: what the bot would do with it now.

import { render } from "preact";
import { actionOf, haltAction } from "./deeds.js";
import { html } from "./html.js";
import { forgetToken, keepToken, storedToken } from "./session.js";

/**
 * @import { Action, Setting } from "./deeds.js"
 * @typedef {{ readonly accountId: string; readonly holds: readonly string[]; readonly heldAlready?: { readonly holds: string; readonly reason: string; readonly since: string | null } | null }} AccountAnswer
 * @typedef {{ readonly done?: string; readonly error?: string; readonly accounts?: readonly AccountAnswer[]; readonly markets?: readonly MarketPreview[]; readonly beside?: readonly string[] }} Answer
 * @typedef {{ readonly accountId: string; readonly marketId: number; readonly change: string; readonly changes: readonly { readonly setting: string; readonly from: string; readonly to: string; readonly waits: boolean }[]; readonly keeps: number; readonly cancels: number; readonly modifies: number; readonly places: number; readonly worstCase: { readonly buy: string; readonly sell: string } }} MarketPreview
 */

const HTTP_UNAUTHORIZED = 401;
const READ_MS = 800;

/** Decides on a proposal: the page asks for the token each time, and does not keep it. @type {(action: Action) => boolean} */
const isDecision = ({ path }) => path.startsWith("proposals/");

/** The daemon records no reason for these. @type {(action: Action) => boolean} */
const isWithoutReason = (action) => ["cancel", "flatten", "preview"].includes(action.path) || isDecision(action);
/** A halt must not wait for a reason. */
const REASON_OPTIONAL = ["halt", "fleet/halt"];
/** Shown in place of a value that is not set. */
const UNSET = ["none", "default"];

/** @typedef {{ readonly action: Action; readonly answer: string; readonly isRefused: boolean; readonly needsToken: boolean; readonly previews: readonly MarketPreview[] }} Asked */

/** @type {(setting: Setting) => unknown} */
const valueField = ({ value, means, tighter }) =>
  html`<label>Value <input name="value" autocomplete="off" required defaultValue=${UNSET.includes(value) ? "" : value} /></label>
    <p class="soft means">${means}${tighter === "" ? "" : ` Only a ${tighter} value is tighter, and taken here.`}</p>`;

/** @type {(command: string, isKept: boolean) => unknown} */
const tokenField = (command, isKept) =>
  html`<label>Token, which this tab ${isKept ? "keeps" : "does not keep"} <input name="token" type="password" autocomplete="off" aria-describedby="ask-token" required /></label>
    <p id="ask-token" class="soft">To print it: <code>${command}</code></p>`;

/** @type {(isOptional: boolean) => unknown} */
const reasonField = (isOptional) =>
  html`<label>Reason, kept in the ledger${isOptional ? " (optional)" : ""} <input name="reason" autocomplete="off" maxlength="200" required=${!isOptional} /></label>`;

/** @type {(changed: MarketPreview["changes"][number]) => string} */
const changeText = ({ setting, from, to, waits }) => `${setting} ${from} -> ${to}${waits ? ", waits for SIGHUP" : ""}`;

/** @type {(preview: MarketPreview) => unknown} */
const previewRow = ({ accountId, marketId, change, changes, keeps, cancels, modifies, places, worstCase }) =>
  html`<p class="preview">Market ${marketId} of account ${accountId}${change === "none" && changes.length === 0 ? "" : ` (${changes.map(changeText).join("; ") || change})`} would keep <b>${keeps}</b> orders, cancel <b>${cancels}</b>, modify <b>${modifies}</b>, place <b>${places}</b>; worst case <b>${worstCase.sell}</b> to <b>${worstCase.buy}</b> contracts.</p>`;

/** @param {{ readonly asked: Asked; readonly tokenCommand: string; readonly send: (form: HTMLFormElement) => void; readonly preview: (form: HTMLFormElement) => void; readonly close: () => void }} props */
function Question({ asked: { action, answer, isRefused, needsToken, previews }, tokenCommand, send, preview, close }) {
  const formOf = (/** @type {Event} */ event) =>
    /** @type {HTMLFormElement} */ (/** @type {HTMLElement} */ (event.currentTarget).closest("form"));
  const onSubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (action.path === "preview") preview(formOf(event));
    else send(formOf(event));
  };
  return html`<form method="post" class=${action.isDangerous ? "dangerous" : ""} onSubmit=${onSubmit}>
    <p id="ask-words">${action.words}</p>
    ${action.setting === null ? null : valueField(action.setting)}
    ${isWithoutReason(action) ? null : reasonField(REASON_OPTIONAL.includes(action.path))}
    ${needsToken ? tokenField(tokenCommand, !isDecision(action)) : null}
    ${previews.map(previewRow)}
    <p id="ask-answer" role="status" class=${isRefused ? "bad" : ""}>${answer}</p>
    <div class="buttons">
      <button type="submit" class=${action.isDangerous ? "danger" : "main"}>${action.verb}</button>
      ${action.setting === null ? null : html`<button type="button" onClick=${(/** @type {Event} */ event) => preview(formOf(event))}>Preview</button>`}
      <button type="button" onClick=${close}>Close</button>
    </div>
  </form>`;
}

/**
 * Opens the dialog at each click on a button with an action, and at once if a link to the page asks for a halt.
 *
 * @type {(root: HTMLElement, dialog: HTMLDialogElement, tokenCommand: () => string) => void}
 */
export function connectActions(root, dialog, tokenCommand) {
  /** @type {Asked | null} */
  let asked = null;
  let count = 0;
  const close = () => dialog.close();
  /** @type {(changed: Partial<Asked>) => void} */
  const show = (changed) => {
    if (asked === null) return;
    asked = { ...asked, ...changed };
    render(
      html`<${Question} key=${count} asked=${asked} tokenCommand=${tokenCommand()} send=${send} preview=${preview} close=${close} />`,
      dialog,
    );
  };
  /** @type {(path: string, form: HTMLFormElement) => Promise<{ readonly status: number; readonly answer: Answer | null }>} */
  async function post(path, form) {
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const { action } = /** @type {Asked} */ (asked);
    const token = (given.token ?? "").trim() || (storedToken() ?? "none");
    if (given.token !== undefined && !isDecision(action)) keepToken(token);
    const { status, answer } = await ask(path, bodyOf(action, given, path), token);
    if (status === HTTP_UNAUTHORIZED) {
      if (!isDecision(action)) forgetToken();
      show({ needsToken: true });
    }
    return { status, answer };
  }
  /** @type {(form: HTMLFormElement) => Promise<void>} */
  async function send(form) {
    if (asked === null) return;
    const { action } = asked;
    const { status, answer } = await post(action.path, form);
    const said = saidOf(status, answer);
    const isDone = said === DONE;
    show({ answer: said, isRefused: !isDone, previews: [] });
    if (isDone) setTimeout(() => asked?.action === action && close(), READ_MS);
  }
  /** @type {(form: HTMLFormElement) => Promise<void>} */
  async function preview(form) {
    const { status, answer } = await post("preview", form);
    const { account, market } = /** @type {Asked} */ (asked).action.body;
    const previews = (answer?.markets ?? []).filter(
      ({ accountId, change, changes }) =>
        change !== "none" || changes.length > 0 || (market === undefined && accountId === account),
    );
    const beside = answer?.beside ?? [];
    const said = previews.length + beside.length > 0 ? beside.join(" · ") : "Nothing would change.";
    show({ answer: status === 200 ? said : saidOf(status, answer), isRefused: status !== 200, previews });
  }
  /** @type {(action: Action) => void} */
  function open(action) {
    count += 1;
    const needsToken = storedToken() === null || isDecision(action);
    asked = { action, answer: "", isRefused: false, needsToken, previews: [] };
    show({});
    dialog.showModal();
  }
  if (location.hash === HALT_LINK) {
    history.replaceState(null, "", location.pathname + location.search);
    open(haltAction());
  }
  root.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const action = button === null ? null : actionOf(button);
    if (action === null) return;
    button?.closest("details.menu")?.removeAttribute("open");
    open(action);
  });
}

const DONE = "Done.";
/** Fragment of the links in critical events. */
const HALT_LINK = "#ask=halt";

/** The reason in force is the first one. @type {(account: AccountAnswer) => readonly string[]} */
const heldAlreadyText = ({ accountId, heldAlready }) =>
  heldAlready === null || heldAlready === undefined
    ? []
    : [
        `Account ${accountId} was ${heldAlready.holds} already, since ${heldAlready.since ?? "an unknown time"}: ${heldAlready.reason}.`,
      ];

/** @type {(status: number, answer: Answer | null) => string} */
function saidOf(status, answer) {
  if (answer === null) return "The daemon does not answer; nothing is known of what it did.";
  if (status !== 200) return `Refused: ${answer.error}`;
  if (answer.done !== "resume") return [DONE, ...(answer.accounts ?? []).flatMap(heldAlreadyText)].join(" ");
  const held = (answer.accounts ?? []).filter(({ holds }) => holds.length > 0);
  return held.length === 0
    ? DONE
    : held.map(({ accountId, holds }) => `Still held on account ${accountId}: ${holds.join("; ")}`).join(" · ");
}

/** @type {(action: Action, given: Readonly<Record<string, string>>, path: string) => object} */
const bodyOf = ({ body, setting }, { reason, value = "" }, path) => ({
  ...body,
  ...(reason !== undefined && reason.trim() !== "" && path !== "preview" && { reason }),
  ...(setting === null
    ? path === "preview" && { saved: true }
    : { [setting.kind]: { [setting.name]: written(value) } }),
});

/** @type {(path: string, body: object, token: string) => Promise<{ readonly status: number; readonly answer: Answer | null }>} */
async function ask(path, body, token) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: answer.status, answer: await answer.json() };
  } catch {
    return { status: 0, answer: null };
  }
}

/** A number if it is one. @type {(text: string) => unknown} */
function written(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
