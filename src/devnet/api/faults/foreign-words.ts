// Rewords answers and frames as another plausible exchange might: for each unknown of the interface ("not shown") that a reader may rely
// on, other ways to say it. Execution stays the same.

import { JsonError, parseJson, stringifyJson } from "../../../kernel/json.ts";
import { camelOf, snakeOf } from "../../../wire/description.ts";
import type { Reply } from "../http/reply.ts";
import { Sent } from "../stream/frames.ts";

type Value = null | boolean | number | bigint | string | Value[] | Fields;
type Fields = { [name: string]: Value };
/** An answer on its way out; changed in place. */
type SentReply = { readonly path: string; status: number; body: Value };
type Way = {
  readonly reply?: (sent: SentReply) => void;
  /** What is sent instead of one frame. */
  readonly frame?: (frame: Fields) => Value[];
  /** Frames are sent as binary, not as text. */
  readonly isBinary?: true;
};

const isFields = (value: Value): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const typed =
  (type: string, to: (event: Fields) => Fields[]) =>
  (events: Value[]): Value[] =>
    events.flatMap((event) => (isFields(event) && event.type === type ? to(event) : [event]));

/** Changes the events of answers to transactions. */
const events = (change: (events: Value[]) => Value[]): Way => ({
  reply({ path, body }) {
    if (path === "/v1/tx" && isFields(body) && Array.isArray(body.events)) body.events = change(body.events);
  },
});
/** Changes the bodies of a route's answers that are no refusal. */
const body = (route: RegExp, change: (body: Value, sent: SentReply) => Value): Way => ({
  reply(sent) {
    if (sent.status === 200 && route.test(sent.path)) sent.body = change(sent.body, sent);
  },
});
const fieldsOf = (route: RegExp, change: (fields: Fields) => void): Way =>
  body(route, (whole) => {
    for (const each of Array.isArray(whole) ? whole : [whole]) if (isFields(each)) change(each);
    return whole;
  });
const without = (route: RegExp, ...names: readonly string[]): Way =>
  fieldsOf(route, (fields) => {
    for (const name of names) delete fields[name];
  });
const instead = (route: RegExp, name: string, value: Value): Way =>
  fieldsOf(route, (fields) => {
    if (name in fields) fields[name] = value;
  });
const notFound = (sent: SentReply): Value => {
  sent.status = 404;
  return { error: "not found" };
};
const frames = (type: string, to: (frame: Fields) => Value[]): Way => ({
  frame: (frame) => (frame.type === type ? to(frame) : [frame]),
});
const both = (...ways: readonly Way[]): Way => ({
  reply(sent) {
    for (const { reply } of ways) reply?.(sent);
  },
  frame: (frame) =>
    ways.reduce<Value[]>(
      (sent, way) => sent.flatMap((one) => (way.frame !== undefined && isFields(one) ? way.frame(one) : [one])),
      [frame],
    ),
});

const ACCOUNT = /^\/v1\/accounts\/\d+$/;
const ORDERS = /^\/v1\/accounts\/\d+\/orders$/;
const LISTS = /^\/v1\/accounts\/\d+\/(orders|positions)$|^\/v1\/markets\/\d+\/trades$/;
const OWN_LISTS = /^\/v1\/accounts\/\d+\/(orders|positions)$/;
const MARKET = /^\/v1\/markets(\/\d+)?$/;
const BOOK = /^\/v1\/markets\/\d+\/orderbook$/;
const ORACLE = /^\/v1\/oracle\/\d+$/;
const NODE = /^\/v1\/node\/info$/;
const RATE = /^\/v1\/accounts\/\d+\/rate-limit$/;

/** Rows of open orders, in the account and in their own list. */
const orderRows = (change: (row: Fields) => Value): Way => ({
  reply(sent) {
    const { path, body: whole, status } = sent;
    const changed = (rows: Value | undefined): Value =>
      Array.isArray(rows) ? rows.map((row: Value) => (isFields(row) ? change(row) : row)) : (rows ?? null);
    if (status !== 200) return;
    if (ORDERS.test(path)) sent.body = changed(whole);
    if (ACCOUNT.test(path) && isFields(whole)) whole.openOrders = changed(whole.openOrders);
  },
});
const sizes = (say: (sizes: { size: Value; filled: Value; remaining: Value }) => Fields): Way =>
  orderRows(({ size = null, filledSize = null, remainingSize = null, ...row }) => ({
    ...row,
    ...say({ size, filled: filledSize, remaining: remainingSize }),
  }));
const sides = (say: (isLong: boolean) => Fields): Way =>
  orderRows(({ side, ...row }) => ({ ...row, ...say(side === "Long") }));

const listed = (name: (path: string) => string, more: (count: number) => Fields = () => ({})): Way =>
  body(LISTS, (list, { path }) => (Array.isArray(list) ? { [name(path)]: list, ...more(list.length) } : list));
const whenEmpty = (say: (sent: SentReply) => Value): Way =>
  body(OWN_LISTS, (list, sent) => (Array.isArray(list) && list.length === 0 ? say(sent) : list));

const refusals = (say: (error: string) => Value): Way => ({
  reply(sent) {
    if (sent.status !== 400 || !isFields(sent.body) || typeof sent.body.error !== "string") return;
    sent.body = say(sent.body.error);
  },
});

const refusedStatus = (status: number): Way => ({
  reply(sent) {
    if (sent.path === "/v1/tx" && isFields(sent.body) && sent.body.status === "failed") sent.status = status;
  },
});
const NO_HASH = "0".repeat(64);

/** Shows a modify as a cancel and a place with the same id. */
const replaced = (names: readonly [string, string]) => (modified: Fields) => {
  const { order_id, account_id, market_id, side = null, price, size } = modified as Record<string, Value>;
  const ref = { order_id: order_id ?? null, account_id: account_id ?? null, market_id: market_id ?? null };
  return [
    { type: names[0], ...ref, reason: "Modified" },
    { type: names[1], ...ref, side, price: price ?? null, size: size ?? null },
  ];
};
const renamed = (type: string) => (event: Fields) => [{ ...event, type }];
const only =
  (...names: readonly string[]) =>
  (event: Fields) => [
    Object.fromEntries(["type", ...names].flatMap((name) => (name in event ? [[name, event[name] as Value]] : []))),
  ];
const camelCased = (fields: Fields): Fields[] => [deep(fields, camelOf) as Fields];
const none = (): Fields[] => [];

/** The account's own fills, in answers and frames. */
const fills = (to: (fill: Fields) => Fields[]): Way => both(events(typed("Fill", to)), frames("fill", to));
/** Transaction hashes, at every place. */
const hashes = (say: (hash: string) => Value): Way => {
  const changed = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(changed);
    if (!isFields(value)) return value;
    const said = Object.entries(value).map(([name, of]): [string, Value] => [
      name,
      name === "tx_hash" && typeof of === "string" ? say(of) : changed(of),
    ]);
    return Object.fromEntries(said);
  };
  return { ...everywhere(changed), frame: (frame) => [changed(frame)] };
};
const nullWhenEmpty = (name: "openOrders" | "positions"): Way =>
  fieldsOf(ACCOUNT, (account) => {
    const list = account[name];
    if (Array.isArray(list) && list.length === 0) account[name] = null;
  });
const agents = (change: (agent: Fields) => Fields): Way =>
  fieldsOf(ACCOUNT, (account) => {
    if (Array.isArray(account.agents))
      account.agents = account.agents.map((agent: Value) => (isFields(agent) ? change(agent) : agent));
  });
/** Seconds given as milliseconds. */
const inMs = (value: Value): Value => (typeof value === "number" ? value * 1000 : value);
const printEnds = (say: (value: Value) => Value): Way => {
  const reply = (route: RegExp, name: string) =>
    fieldsOf(route, (fields) => {
      if (name in fields) fields[name] = say(fields[name] ?? null);
    });
  return both(
    reply(ORACLE, "validUntil"),
    reply(MARKET, "oracleValidUntil"),
    frames("oraclePriceUpdate", ({ valid_until = null, ...frame }) => [{ ...frame, valid_until: say(valid_until) }]),
  );
};

/** The same value with keys renamed and leaves changed. */
function deep(value: Value, name: (name: string) => string, leaf: (value: Value) => Value = (same) => same): Value {
  if (Array.isArray(value)) return value.map((item: Value) => deep(item, name, leaf));
  if (!isFields(value)) return leaf(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [name(key), deep(item, name, leaf)]));
}
const everywhere = (change: (value: Value) => Value): Way => ({
  reply(sent) {
    if (sent.status === 200) sent.body = change(sent.body);
  },
});
const asNumber = (value: Value): Value =>
  typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
const asText = (value: Value): Value => (typeof value === "number" || typeof value === "bigint" ? `${value}` : value);
const same = (name: string): string => name;

/** Each unknown, with the other ways to word it. */
const ways = {
  placed: {
    otherName: events(typed("OrderPlaced", renamed("OrderAccepted"))),
    camelCase: events(typed("OrderPlaced", camelCased)),
    idAlone: events(typed("OrderPlaced", only("order_id"))),
    otherNameAndIdAlone: events(typed("OrderPlaced", (event) => renamed("NewOrder")(only("order_id")(event)[0] ?? {}))),
    withoutAccount: events(typed("OrderPlaced", ({ account_id: _, ...event }) => [event])),
    idNamedId: events(typed("OrderPlaced", ({ order_id = null, ...event }) => [{ ...event, id: order_id }])),
    idAndRemaining: events(
      typed("OrderPlaced", ({ order_id = null, size = null }) => [
        { type: "OrderOpened", id: order_id, remaining_size: size },
      ]),
    ),
    none: events(typed("OrderPlaced", none)),
  },
  modified: {
    withoutRemaining: events(typed("OrderModified", ({ remaining_size: _, ...event }) => [event])),
    otherName: events(typed("OrderModified", renamed("OrderAmended"))),
    idAlone: events(typed("OrderModified", only("order_id"))),
    canceledAndPlaced: both(
      events(typed("OrderModified", replaced(["OrderCanceled", "OrderPlaced"]))),
      frames("orderModified", replaced(["orderCanceled", "orderPlaced"])),
    ),
    eventsOfCancelAndPlace: events(typed("OrderModified", replaced(["OrderCanceled", "OrderPlaced"]))),
    framesOfCancelAndPlace: frames("orderModified", replaced(["orderCanceled", "orderPlaced"])),
    none: events(typed("OrderModified", none)),
    /** No event and no frame for a modify: the interface shows no frame for it. */
    silent: both(events(typed("OrderModified", none)), frames("orderModified", none)),
    otherNameAndSilent: both(events(typed("OrderModified", renamed("Amended"))), frames("orderModified", none)),
  },
  canceled: {
    cancelled: events(typed("OrderCanceled", renamed("OrderCancelled"))),
    otherName: events(typed("OrderCanceled", renamed("OrderRemoved"))),
    idAlone: events(typed("OrderCanceled", only("order_id"))),
    none: events(typed("OrderCanceled", none)),
    silent: both(events(typed("OrderCanceled", none)), frames("orderCanceled", none)),
  },
  filled: {
    otherName: events(typed("Fill", renamed("Trade"))),
    camelCase: events(typed("Fill", camelCased)),
    withoutHash: fills(({ tx_hash: _, ...fill }) => [fill]),
    hashNumber: hashes((hash) => Number.parseInt(hash.slice(0, 12), 16)),
    none: events(typed("Fill", none)),
  },
  answers: {
    /** No events in answers. */
    silent: events(() => []),
    /** Fills come before the event of the order that they fill. */
    backwards: events((all) => all.toReversed()),
    status203: {
      reply(sent) {
        if (sent.status === 200) sent.status = 203;
      },
    },
  },
  orderFrames: {
    none: both(frames("orderPlaced", none), frames("orderModified", none), frames("orderCanceled", none)),
  },
  frames: {
    list: { frame: (frame) => [[frame]] },
    binary: { isBinary: true },
    numbers: { frame: (frame) => [deep(frame, same, asNumber)] },
    texts: { frame: (frame) => [deep(frame, same, asText)] },
  },
  numbers: {
    numbers: everywhere((value) => deep(value, same, asNumber)),
    texts: everywhere((value) => deep(value, same, asText)),
  },
  names: {
    camel: everywhere((value) => deep(value, camelOf)),
    snake: everywhere((value) => deep(value, snakeOf)),
  },
  lists: {
    data: listed(() => "data"),
    items: listed(
      () => "items",
      (total) => ({ total, cursor: null }),
    ),
    named: listed((path) => path.split("/").at(-1) ?? ""),
  },
  emptyList: { status404: whenEmpty(notFound), null: whenEmpty(() => null) },
  trades: { status404: body(/\/trades$/, (_, sent) => notFound(sent)) },
  orderSizes: {
    remainingAlone: sizes(({ remaining }) => ({ size: remaining })),
    wholeAlone: sizes(({ size }) => ({ size })),
    wholeAndFilled: sizes(({ size, filled }) => ({ size, filled })),
    remainingAndFilled: sizes(({ remaining, filled }) => ({ size: remaining, filled })),
    quantityAndExecuted: sizes(({ size, filled }) => ({ quantity: size, executed: filled })),
    remaining: sizes(({ size, remaining }) => ({ quantity: size, remaining })),
  },
  orderSide: {
    buySell: sides((isLong) => ({ side: isLong ? "Buy" : "Sell" })),
    bidAsk: sides((isLong) => ({ side: isLong ? "bid" : "ask" })),
    isBuy: sides((isLong) => ({ isBuy: isLong })),
  },
  orderId: { id: orderRows(({ orderId = null, ...row }) => ({ ...row, id: orderId })) },
  openOrders: {
    ids: fieldsOf(ACCOUNT, (account) => {
      const { openOrders } = account;
      if (Array.isArray(openOrders))
        account.openOrders = openOrders.flatMap((row: Value) => (isFields(row) ? [row.orderId ?? null] : []));
    }),
    absent: without(ACCOUNT, "openOrders"),
    null: nullWhenEmpty("openOrders"),
  },
  positions: { null: nullWhenEmpty("positions") },
  account: {
    withoutVolumes: without(ACCOUNT, "feeTierVolume30d", "volume30d", "lifetimeVolume"),
    withoutCreatedAt: without(ACCOUNT, "createdAt"),
    withoutPendingActivation: without(ACCOUNT, "pendingActivation"),
    withoutAvailable: without(ACCOUNT, "availableCollateral"),
    withoutAgents: without(ACCOUNT, "agents"),
    agentsEndAt0: agents((agent) => ({ ...agent, expiresAt: 0 })),
    agentsWithoutEnd: agents(({ expiresAt: _, ...agent }) => agent),
    agentsEndInMs: agents(({ expiresAt = null, ...agent }) => ({ ...agent, expiresAt: inMs(expiresAt) })),
  },
  node: {
    withoutStateRoot: without(NODE, "state_root"),
    versionWords: instead(NODE, "protocol_version", "v4.2"),
    least: body(NODE, (node) =>
      isFields(node) ? (only("chain_id", "block_height", "block_timestamp")(node)[0] ?? node) : node,
    ),
  },
  market: {
    withoutBackstop: without(MARKET, "backstopAccountId"),
    withoutTiers: instead(MARKET, "marginTiers", []),
    withoutMark: instead(MARKET, "markPrice", null),
    lowerCase: instead(MARKET, "status", "active"),
    postOnly: instead(MARKET, "status", "PostOnly"),
    reduceOnly: instead(MARKET, "status", "ReduceOnly"),
    oracleOpen: instead(MARKET, "oracleStatus", "Open"),
  },
  book: {
    withoutCounts: both(
      fieldsOf(BOOK, withoutCounts),
      frames("orderbookSnapshot", (frame) => {
        const copy = { ...frame };
        withoutCounts(copy);
        return [copy];
      }),
    ),
  },
  oracle: {
    open: instead(ORACLE, "status", "Open"),
    validUntilNull: instead(ORACLE, "validUntil", null),
    validUntil0: instead(ORACLE, "validUntil", 0),
    validUntilMs: fieldsOf(ORACLE, (oracle) => {
      oracle.validUntil = inMs(oracle.validUntil ?? null);
    }),
  },
  /** Expiry of a print: in reads of the oracle and the market, and in frames. */
  printEnd: { null: printEnds(() => null), zero: printEnds(() => 0), ms: printEnds(inMs) },
  rateLimit: {
    remainingAlone: body(RATE, () => ({ remaining: 1000 })),
    unknownUnit: body(RATE, () => ({ limit: 29, used: 20, remaining: 9 })),
    remaining0: body(RATE, () => ({ remaining: 0 })),
    status404: body(RATE, (_, sent) => notFound(sent)),
  },
  feeTiers: {
    status404: body(/^\/v1\/fee-tiers$/, (_, sent) => notFound(sent)),
    fractions: body(/^\/v1\/fee-tiers$/, (tiers) =>
      deep(tiers, same, (value) => (typeof value === "number" && Math.abs(value) < 100 ? value + 0.25 : value)),
    ),
  },
  funding: { status404: body(/\/funding$/, (_, sent) => notFound(sent)) },
  /** HTTP status of a refused transaction. */
  refusedStatus: { status400: refusedStatus(400), status422: refusedStatus(422) },
  /** Form of the answer for transactions that were never executed. */
  refusal: {
    asFailed: {
      reply(sent) {
        const { path, status, body } = sent;
        if (path !== "/v1/tx" || status !== 400 || !isFields(body)) return;
        sent.status = 200;
        sent.body = { status: "failed", hash: NO_HASH, events: [], error: body.error ?? null };
      },
    },
    message: refusals((message) => ({ message })),
    errors: refusals((error) => ({ errors: [error] })),
    text: refusals((error) => error),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Way>>>>;

function withoutCounts(book: Fields): void {
  for (const side of ["bids", "asks"]) {
    const levels = book[side];
    if (Array.isArray(levels))
      book[side] = levels.map((level: Value) => (isFields(level) ? (only("price", "size")(level)[0] ?? level) : level));
  }
}

export type ForeignUnknown = keyof typeof ways;
/** For some unknowns, the name of the wording to use. */
export type ForeignWords = Readonly<Partial<Record<ForeignUnknown, string>>>;

/** Each unknown with the names of its wordings. */
export const foreignWords: Readonly<Record<ForeignUnknown, readonly string[]>> = Object.fromEntries(
  Object.entries(ways).map(([unknown, said]): [string, string[]] => [unknown, Object.keys(said)]),
) as { [K in ForeignUnknown]: string[] };

/** Applies the active wordings to answers and frames. */
export class ForeignSpeech {
  #ways: readonly Way[] = [];

  /** An empty object restores the devnet's own wording. */
  speak(words: ForeignWords): void {
    this.#ways = Object.entries(words).flatMap(([unknown, name]) => {
      const found: Way | undefined = (ways as Readonly<Record<string, Readonly<Record<string, Way>>>>)[unknown]?.[name];
      return found === undefined ? [] : [found];
    });
  }

  /** Accounts do not show when their agents expire. */
  get hidesAgentEnds(): boolean {
    return this.#ways.some((way) => way === ways.account.agentsWithoutEnd || way === ways.account.agentsEndAt0);
  }

  get isForeign(): boolean {
    return this.#ways.length > 0;
  }

  reply(path: string, reply: Reply): Reply {
    if (this.#ways.length === 0 || reply.contentType !== "application/json") return reply;
    const [route = path] = path.split("?");
    const body = parsed(reply.text);
    if (body === undefined) return reply;
    const sent: SentReply = { path: route, status: reply.status, body };
    for (const way of this.#ways) way.reply?.(sent);
    const text = typeof sent.body === "string" ? sent.body : stringifyJson(sent.body);
    const contentType = typeof sent.body === "string" ? "text/plain" : reply.contentType;
    return { ...reply, status: sent.status, contentType, text };
  }

  /** Frames to send instead of `frame`. */
  frames(frame: Sent): readonly Sent[] {
    const changes = this.#ways.flatMap((way) => way.frame ?? []);
    const isBinary = this.#ways.some((way) => way.isBinary);
    if (changes.length === 0 && !isBinary) return [frame];
    const value = parsed(frame.text);
    if (value === undefined) return [frame];
    let sent: Value[] = [value];
    for (const change of changes) sent = sent.flatMap((one) => (isFields(one) ? change(one) : [one]));
    return sent.map((value) => new Sent(stringifyJson(value), isBinary));
  }
}

/** Undefined if another fault has cut the text. */
function parsed(text: string): Value | undefined {
  try {
    return parseJson(text) as Value;
  } catch (thrown) {
    if (thrown instanceof JsonError) return undefined;
    throw thrown;
  }
}
