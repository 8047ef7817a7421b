// The script of the status page. It reads status.json each second, says as plain data what the page should contain, and changes
// only the parts of the document that differ, so that a text selection survives the refresh.

/**
 * @import { AccountStatus, GateLine, MarketStatus, OrderLine, PnlLine, Status } from "../status.ts"
 */

/**
 * What an element should be. A child that is a string becomes text, never markup.
 *
 * @typedef {{ readonly tag: string; readonly attributes: Readonly<Record<string, string>>; readonly children: readonly Part[] }} Tag
 * @typedef {string | Tag} Part
 */

const REFRESH_MS = 1000;
/** Under which name this tab keeps the token of the daemon's HTTP. */
const TOKEN = "quoin.token";
const HTTP_UNAUTHORIZED = 401;

/** @type {(tag: string, attributes: Readonly<Record<string, string>>, ...children: readonly Part[]) => Tag} */
const element = (tag, attributes, ...children) => ({ tag, attributes, children });

/** @type {(value: number | null, digits?: number) => string} */
const decimal = (value, digits = 2) =>
  value === null
    ? "—"
    : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @type {(value: number, digits?: number) => string} */
const signed = (value, digits = 2) => `${value > 0 ? "+" : ""}${decimal(value, digits)}`;

/** @type {(value: number) => string} */
const toneOf = (value) => (value > 0 ? "good" : value < 0 ? "bad" : "");

/** @type {(name: string, value: string, tone?: string) => Tag} */
const fact = (name, value, tone = "") =>
  element("tr", {}, element("td", {}, name), element("td", { class: tone }, value));

/** @type {(side: string) => (order: OrderLine) => Tag} */
const orderRow =
  (side) =>
  ({ price, size, state }) =>
    element(
      "tr",
      {},
      element("td", {}, side),
      element("td", {}, decimal(price)),
      element("td", {}, decimal(size, 3)),
      element("td", { class: "soft" }, state),
    );

/** @type {(market: MarketStatus) => Tag} */
const ordersTable = ({ asks, bids }) =>
  element(
    "table",
    {},
    element("tr", {}, ...["side", "price", "size", "state"].map((name) => element("th", {}, name))),
    ...asks.toReversed().map(orderRow("ask")),
    ...bids.map(orderRow("bid")),
  );

/** @type {readonly (keyof PnlLine)[]} */
const pnlSources = ["spread", "inventory", "jump", "funding", "fees", "total"];

/** @type {(pnl: PnlLine) => Tag} */
const pnlTable = (pnl) =>
  element("table", {}, ...pnlSources.map((source) => fact(source, signed(pnl[source]), toneOf(pnl[source]))));

/**
 * An open gate is named by what it found: a green "halted" would read as its opposite.
 *
 * @type {Readonly<Record<string, string>>}
 */
const openNames = { halted: "not halted", reducing: "not reducing" };

/** @type {(gate: GateLine) => Tag} */
const gateItem = ({ gate, open, reason }) =>
  open
    ? element("li", { class: "good", title: "open" }, openNames[gate] ?? gate)
    : element("li", { class: "bad", title: `the gate ${gate} is closed` }, reason ?? gate);

/**
 * The sentence of each side, one where both say the same.
 *
 * @type {(market: MarketStatus) => string}
 */
const lacksText = ({ buy, sell }) =>
  buy.sentence === sell.sentence
    ? (buy.sentence ?? "")
    : [buy.sentence && `buy: ${buy.sentence}`, sell.sentence && `sell: ${sell.sentence}`].filter(Boolean).join("; ");

/** @type {(market: MarketStatus) => Tag} */
const marketSection = (market) =>
  element(
    "section",
    { class: "market" },
    element(
      "h3",
      {},
      `${market.name} `,
      element("span", { class: "soft" }, `market ${market.marketId} · ${market.strategy}`),
      " ",
      element("span", { class: market.state === "active" ? "good" : "bad" }, market.state),
    ),
    element(
      "table",
      {},
      fact("position", signed(market.position, 3)),
      fact("oracle price", decimal(market.oraclePrice)),
      fact("best bid / ask", `${decimal(market.bestBid)} / ${decimal(market.bestAsk)}`),
      fact("fair value", decimal(market.fairValue, 4)),
      fact("fills", `${market.fillCount}`),
      fact("unknown orders", `${market.unknownOrders}`, market.unknownOrders > 0 ? "bad" : ""),
    ),
    element("h4", {}, "Our orders"),
    ordersTable(market),
    element("p", { class: "soft" }, market.quotesReason ?? ""),
    element("p", { class: "bad" }, lacksText(market)),
    element("h4", {}, "PnL, USDC"),
    pnlTable(market.pnl),
    element("ul", { class: "gates" }, ...market.gates.map(gateItem)),
  );

/** @type {(account: AccountStatus) => readonly Part[]} */
const accountParts = ({ accountId, equityUsdc, marginRatio, latches, markets }) => [
  element(
    "h2",
    {},
    `Account ${accountId} `,
    element("span", { class: "soft" }, `equity ${decimal(equityUsdc)} USDC · margin ratio ${decimal(marginRatio)}`),
    " ",
    element("span", { class: "bad" }, latches.join(" · ")),
  ),
  element("div", { class: "markets" }, ...markets.map(marketSection)),
];

/** @type {(status: Status) => string} */
const clockText = ({ chainTimeOffsetMs }) => (chainTimeOffsetMs === null ? "—" : `${Math.round(chainTimeOffsetMs)} ms`);

/** @type {(status: Status) => Tag} */
const header = (status) =>
  element(
    "header",
    {},
    element("h1", {}, "Quoin"),
    status.reasons.length === 0
      ? element("span", { class: "good" }, "ready")
      : element("span", { class: "bad" }, `not ready: ${status.reasons.join("; ")}`),
    element(
      "span",
      { class: "soft" },
      [
        status.phase,
        status.chainId,
        `height ${status.height ?? "—"}`,
        `clock ${clockText(status)}`,
        `config ${status.config}`,
        status.version,
      ].join(" · "),
    ),
  );

/**
 * Makes the children of `parent` what `parts` say and leaves alone what already is: a node that stays keeps the selection in it.
 *
 * @type {(parent: ParentNode & Node, parts: readonly Part[]) => void}
 */
function update(parent, parts) {
  parts.forEach((part, index) => {
    const found = parent.childNodes[index];
    if (found === undefined) parent.appendChild(nodeOf(part));
    else if (!updateNode(found, part)) parent.replaceChild(nodeOf(part), found);
  });
  while (parent.lastChild !== null && parent.childNodes.length > parts.length) parent.removeChild(parent.lastChild);
}

/**
 * False where the node is of another kind than the part, and nothing was changed.
 *
 * @type {(node: Node, part: Part) => boolean}
 */
function updateNode(node, part) {
  if (typeof part === "string") {
    if (node.nodeName !== "#text") return false;
    if (node.nodeValue !== part) node.nodeValue = part;
    return true;
  }
  if (node.nodeName.toLowerCase() !== part.tag) return false;
  const target = /** @type {Element} */ (node);
  for (const name of target.getAttributeNames()) if (!(name in part.attributes)) target.removeAttribute(name);
  for (const [name, value] of Object.entries(part.attributes)) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
  }
  update(target, part.children);
  return true;
}

/** @type {(part: Part) => Node} */
function nodeOf(part) {
  const node = typeof part === "string" ? document.createTextNode(part) : document.createElement(part.tag);
  updateNode(node, part);
  return node;
}

/** A token in the address's fragment goes to this tab's storage: no server, log or history sees it. */
function keepFragment() {
  const given = /^#(?:token=)?(.+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname);
}

/** @type {(form: HTMLFormElement) => void} */
const keepTyped = (form) =>
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, String(new FormData(form).get("token")).trim());
    form.reset();
  });

/** @type {() => Promise<Response>} */
function askStatus() {
  const token = sessionStorage.getItem(TOKEN);
  return fetch("status.json", {
    cache: "no-store",
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
}

/** @type {(view: HTMLElement, unlock: HTMLElement | null) => Promise<void>} */
async function refresh(view, unlock) {
  let why = "the daemon does not answer";
  try {
    const answer = await askStatus();
    const isLocked = answer.status === HTTP_UNAUTHORIZED;
    if (unlock !== null) unlock.hidden = !isLocked;
    if (isLocked) why = "the daemon asks for its token";
    const status = /** @type {Status} */ (await answer.json());
    update(view, [header(status), ...status.accounts.flatMap(accountParts)]);
    view.className = "";
    document.title = "Quoin";
  } catch {
    const lost = element("header", {}, element("h1", {}, "Quoin"), element("span", { class: "bad" }, why));
    const found = view.firstChild;
    if (found !== null) updateNode(found, lost);
    view.className = "outdated";
    document.title = "Quoin: no answer";
  }
  setTimeout(() => void refresh(view, unlock), REFRESH_MS);
}

const view = document.getElementById("view");
const unlock = document.getElementById("unlock");
keepFragment();
if (unlock instanceof HTMLFormElement) keepTyped(unlock);
if (view !== null) void refresh(view, unlock);
