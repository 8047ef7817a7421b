// What an operator does from the page: asked for a reason, confirmed, sent with the token, and answered in words.

import { element, update, visible } from "./dom.js";

const HTTP_UNAUTHORIZED = 401;
/** Under which name this tab keeps the token of the daemon's HTTP. */
const TOKEN = "quoin.token";

export const storedToken = () => sessionStorage.getItem(TOKEN);
/** @type {(token: string) => void} */
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

/**
 * What a button asks for: where it goes, what is to be confirmed, and the body beside the reason.
 *
 * @typedef {{ readonly path: string; readonly words: string; readonly body: Readonly<Record<string, unknown>>; readonly setting: { readonly kind: string; readonly name: string; readonly value: string } | null }} Action
 */

/** Null: the button is none of these. @type {(button: HTMLElement) => Action | null} */
export function actionOf(button) {
  const { action = "", name = "", value = "" } = button.dataset;
  const section = button.closest("article");
  const [account = "", market = ""] = (section?.dataset.place ?? "").split("/");
  const place = section === null ? {} : { account, market: Number(market) };
  const where = section?.getAttribute("aria-label") ?? "everything";
  switch (action) {
    case "pause":
      return {
        path: "halt",
        words: `Pause ${where}: cancel our orders there and send no new one.`,
        body: place,
        setting: null,
      };
    case "reduce":
      return { path: "reduce", words: `Let ${where} only reduce its position.`, body: place, setting: null };
    case "resume":
      return { path: "resume", words: `Resume ${where}: lift what halts it.`, body: place, setting: null };
    case "halt":
      return {
        path: "halt",
        words: "Halt everything: cancel every order of ours and send no new one.",
        body: {},
        setting: null,
      };
    case "haltFleet":
      return {
        path: "fleet/halt",
        words: "Halt the fleet: on every account, whichever node holds it, cancel our orders and send no new one.",
        body: {},
        setting: null,
      };
    case "resumeFleet":
      return {
        path: "fleet/resume",
        words: "Resume the fleet: lift every latch of every account, whichever node holds it.",
        body: {},
        setting: null,
      };
    case "resumeAll":
      return { path: "resume", words: "Resume everything: lift every latch.", body: {}, setting: null };
    case "flatten":
      return {
        path: "flatten",
        words: "Flatten: close what is held, at a loss if need be. Everything must be halted first.",
        body: {},
        setting: null,
      };
    case "params":
    case "limits":
      return { path: "params", words: `Set ${name} of ${where}.`, body: place, setting: { kind: action, name, value } };
    default:
      return null;
  }
}

const question = element(
  "form",
  { method: "post" },
  element("p", { id: "ask-words" }),
  element("label", {}, "Value ", element("input", { name: "value", autocomplete: "off" })),
  element(
    "label",
    {},
    "Reason, which is recorded ",
    element("input", { name: "reason", autocomplete: "off", maxlength: "200" }),
  ),
  element(
    "label",
    {},
    "Token, as ",
    element("code", {}, "quoin token"),
    " prints it ",
    element("input", { name: "token", type: "password", autocomplete: "off" }),
  ),
  element("p", { id: "ask-answer", role: "status" }),
  element("button", { type: "submit" }, "Confirm"),
  " ",
  element("button", { type: "button", id: "ask-cancel" }, "Cancel"),
);

/** Asks in the dialog at each click on a button that does something. @type {(root: HTMLElement, dialog: HTMLDialogElement) => void} */
export function connectActions(root, dialog) {
  update(dialog, [question]);
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector("form"));
  const [words, answer] = [dialog.querySelector("#ask-words"), dialog.querySelector("#ask-answer")];
  /** @type {(name: string) => HTMLInputElement} */
  const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  /** @type {Action | null} */
  let asked = null;
  /** @type {(text: string) => void} */
  const say = (text) => {
    if (answer !== null) answer.textContent = visible(text);
  };
  /** @type {(name: string, isShown: boolean) => void} */
  const show = (name, isShown) => {
    const label = field(name).closest("label");
    if (label !== null) label.hidden = !isShown;
    field(name).required = isShown;
  };
  root.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    asked = button === null ? null : actionOf(button);
    if (asked === null) return;
    form.reset();
    if (words !== null) words.textContent = visible(asked.words);
    say("");
    show("value", asked.setting !== null);
    field("value").value = asked.setting?.value ?? "";
    show("reason", asked.path !== "flatten");
    show("token", storedToken() === null);
    dialog.showModal();
  });
  dialog.querySelector("#ask-cancel")?.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (asked === null) return;
    if (field("token").value !== "") keepToken(field("token").value.trim());
    const { status, text } = await send(asked, field("reason").value, field("value").value);
    if (status === HTTP_UNAUTHORIZED) {
      sessionStorage.removeItem(TOKEN);
      show("token", true);
    }
    say(text);
    if (status === 200) setTimeout(() => dialog.close(), 800);
  });
}

/** @type {(action: Action, reason: string, value: string) => Promise<{ status: number; text: string }>} */
async function send({ path, body, setting }, reason, value) {
  const content = {
    ...body,
    ...(path !== "flatten" && { reason }),
    ...(setting !== null && { [setting.kind]: { [setting.name]: written(value) } }),
  };
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${storedToken() ?? "none"}` },
      body: JSON.stringify(content),
    });
    const { error } = await answer.json();
    return { status: answer.status, text: answer.ok ? "Done." : `Refused: ${error}` };
  } catch {
    return { status: 0, text: "The daemon does not answer; nothing is known of what it did." };
  }
}

/** A number where it is one. @type {(text: string) => unknown} */
function written(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
