// A small exchange behind a bad line, for property tests of what the bot believes: frames are lost, repeated and late, answers are lost or say nothing,
// reads lag, lack or change things. It knows the truth, and resynchronizes an account as the service does.

import { afterFill, holdingAt, realizedBy } from "../../src/bot/accounting/holding.ts";
import type { Account, Position } from "../../src/domain/account.ts";
import type { Command, ModifyCommand, PlaceCommand } from "../../src/domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../src/domain/event.ts";
import { fillKey, type Trade } from "../../src/domain/fill.ts";
import { meanPrice } from "../../src/domain/rounding.ts";
import {
  type Nonce,
  nonce,
  type OrderId,
  orderId,
  price,
  type Side,
  signOf,
  size,
  usdc,
} from "../../src/domain/units.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  createScene,
  execution,
  funding,
  type Loose,
  listed,
  ME,
  placeCommand,
  pong,
  position,
  publicTrade,
  type Scene,
  USD,
} from "../unit/bot/scene.ts";

/** One thing that happens; `a` and `b` choose among what is there. `bad`: the line does its worst. */
export type Step = { readonly op: Op; readonly a: number; readonly b: number; readonly bad: boolean };
export const ops = [
  ...(["place", "place", "place", "cross", "modify", "cancel", "cancel", "cancelAll"] as const),
  ...(["arrive", "arrive", "arrive", "arrive", "answer", "answer", "answer", "answer"] as const),
  ...(["hit", "hit", "hit", "frame", "frame", "frame", "frame", "repeat"] as const),
  ...(["ask", "told", "look", "look", "trades", "settle", "resync", "resync", "drop", "wait", "wait"] as const),
] as const;
export type Op = (typeof ops)[number];

/** From here on ids are of orders that only lies name. */
export const INVENTED = 90_000n;

/** What a read may show that never was. */
export const lies = [
  "noPositions",
  "noOrders",
  "empty",
  "lessOrders",
  "morePosition",
  "otherSide",
  "moreOrder",
  "otherOrder",
] as const;
export type Lie = (typeof lies)[number];

/** What the line does. `lossy`: single frames vanish. `lying`: reads show what never was. `lagging`: reads are of before they were asked. `late`: frames
 * may take longer than a resync. */
export type Line = {
  readonly lossy: boolean;
  readonly lying: boolean;
  readonly lagging: boolean;
  readonly late: boolean;
};
export const worstLine: Line = { lossy: true, lying: true, lagging: true, late: true };

/** The default of the configuration, which a scene has. */
export const READ_LAG_MAX_MS = 3000;

type Resting = { readonly side: Side; price: bigint; size: bigint; filled: bigint };
type Fate = "lands" | "requestLost" | "answerLost" | "silent";
type Sent = { readonly nonce: Nonce; readonly command: Command; readonly fate: Fate; isTimedOut: boolean };
type Past = { readonly atMs: number; readonly account: Account; readonly trades: number };

export type World = {
  readonly scene: Scene;
  readonly step: (step: Step) => void;
  /** Everything is delivered and settled, the account resynchronized where it has to be, and read until money is booked. */
  readonly quiesce: () => void;
  /** A read of now, or of so many ms ago, changed by a lie. */
  readonly readAccount: (of?: { readonly lagMs?: number; readonly lie?: Lie | null; readonly seed?: number }) => void;
  readonly deliverAll: () => void;
  /** Orders that an event, delivered to the bot, has ended. */
  readonly ended: ReadonlySet<OrderId>;
  readonly truth: {
    readonly orders: ReadonlyMap<OrderId, Resting>;
    readonly inventory: () => bigint;
    readonly collateral: () => bigint;
    /** Key to the order that was filled. */
    readonly fills: ReadonlyMap<string, OrderId>;
  };
};

/** More trades than one list shows. */
const TRADES_LISTED = 12;

export function createWorld(line: Line = worstLine): World {
  const scene = createScene();
  const { tell } = scene;
  const me = () => scene.state.accounts.get(ME)!;
  const orders = new Map<OrderId, Resting>();
  let held = holdingAt(price(0n), size(0n));
  let collateral = account().collateral as bigint;
  const trades: Trade[] = [];
  const fills = new Map<string, OrderId>();
  const ended = new Set<OrderId>();
  const past: Past[] = [];
  let count = 0;
  let epoch = 1;
  const sent: Sent[] = [];
  const answers: { readonly of: Sent; readonly outcome: SubmitOutcome }[] = [];
  const unsettled: { readonly of: Sent; readonly landed: boolean }[] = [];
  let frames: Loose[] = [];
  let lastFrame: Loose | undefined;
  let asked:
    | { readonly askedMs: number; readonly lagMs: number; readonly lie: Lie | null; readonly seed: number }
    | undefined;

  const fresh = (): bigint => {
    count += 1;
    return BigInt(count);
  };
  const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];
  const isLive = () => scene.resync() === null;
  const push = (frame: Loose, bad: boolean): void => {
    if (!bad || !line.lossy) frames.push(frame);
  };

  function truthNow(): Account {
    const { inventory } = held;
    const openOrders = [...orders].map(([id, order]) =>
      listed(id, { ...order, price: price(order.price), size: size(order.size), filledSize: size(order.filled) }),
    );
    const entryPrice = meanPrice(held.cost, inventory);
    const whole = { size: size(inventory < 0n ? -inventory : inventory), entryPrice };
    const positions: Position[] = inventory === 0n ? [] : [position(inventory < 0n ? -1n : 1n, 200n, whole)];
    return account({ collateral: usdc(collateral), openOrders, positions });
  }

  /** Call it after each change of the truth. */
  function note(): void {
    past.push({ atMs: scene.nowMs(), account: truthNow(), trades: trades.length });
  }
  note();
  const truthAt = (atMs: number): Past => past.findLast((one) => one.atMs <= atMs) ?? past[0]!;

  /** Fills one of our orders; returns the event for the answer of a taker. */
  function fill(id: bigint, side: Side, at: bigint, contracts: bigint, liquidity: "maker" | "taker", step: Step) {
    const traded = { side, price: price(at), size: size(contracts) };
    const realized = realizedBy(held, traded);
    held = afterFill(held, traded, realized);
    const filled = {
      ...execution({ mine: id, side, liquidity, hash: `h${fresh()}`, other: 100_000n + fresh() }),
      price: price(at),
      size: size(contracts),
      timestampMs: scene.nowMs() + CHAIN_OFFSET_MS,
      ...(liquidity === "maker" ? { makerRealizedPnl: realized } : { takerRealizedPnl: realized }),
    };
    collateral += realized - (liquidity === "maker" ? filled.makerFee : filled.takerFee);
    trades.push(publicTrade(filled));
    fills.set(fillKey(filled, liquidity), orderId(id));
    push({ kind: "trade", trade: publicTrade(filled) }, step.bad && step.b % 3 !== 0);
    push({ kind: "execution", execution: filled }, step.bad);
    return { type: "fill", execution: filled } as const;
  }

  function cancelOrder(id: OrderId, bad: boolean): TransactionEvent | undefined {
    if (!orders.delete(id)) return undefined;
    const gone = { orderId: id, accountId: ME, marketId: 1, reason: "UserCanceled" } as const;
    push({ kind: "orderCanceled", ...gone }, bad);
    return { type: "orderCanceled", ...gone };
  }
  const cancelEverything = (bad: boolean): readonly TransactionEvent[] => {
    const events = [...orders.keys()].flatMap((id) => cancelOrder(id, bad) ?? []);
    note();
    return events;
  };

  const done = (events: readonly TransactionEvent[]): SubmitOutcome => ({ kind: "executed", hash: "h", events });
  const refusal: SubmitOutcome = { kind: "refused", hash: "h", error: "no such order" };

  function execute(command: Command, step: Step): SubmitOutcome {
    if (command.kind === "place") return done(executePlace(command, step));
    if (command.kind === "modify") return executeModify(command, step);
    if (command.kind === "cancelAll") return done(cancelEverything(step.bad));
    const event = cancelOrder(command.orderId, step.bad);
    return event === undefined ? refusal : done([event]);
  }

  function executePlace(command: PlaceCommand, step: Step): readonly TransactionEvent[] {
    const id = orderId(fresh() + 500n);
    const events: TransactionEvent[] = [];
    let filled = 0n;
    if (!command.postOnly) {
      filled = command.size > CONTRACT ? CONTRACT : command.size;
      events.push(fill(id, command.side, command.price, filled, "taker", step));
    }
    if (filled < command.size) {
      const { side } = command;
      orders.set(id, { side, price: command.price, size: command.size, filled });
      const placed = { orderId: id, accountId: ME, marketId: 1, side, price: command.price, size: command.size };
      push({ kind: "orderPlaced", ...placed }, step.bad);
      events.unshift({ type: "orderPlaced", ...placed });
    }
    return events;
  }

  function executeModify(command: ModifyCommand, { bad }: Step): SubmitOutcome {
    const order = orders.get(command.orderId);
    const whole = command.newSize ?? order?.size ?? 0n;
    if (order === undefined || whole <= order.filled) return refusal;
    order.price = command.newPrice ?? order.price;
    order.size = whole;
    const { orderId: id } = command;
    const terms = {
      orderId: id,
      accountId: ME,
      marketId: 1,
      price: price(order.price),
      size: size(order.size),
    } as const;
    push({ kind: "orderModified", ...terms, side: order.side }, bad);
    return done([{ type: "orderModified", ...terms, remainingSize: size(order.size - order.filled) }]);
  }

  function send(command: Command, step: Step): void {
    const fates = ["lands", "requestLost", "answerLost", "silent"] as const;
    const fate = step.bad ? (fates[step.b % 4] ?? "lands") : "lands";
    // A CancelAllOrders that says nothing is normal; its answer is no doubt of ours.
    const of: Sent = { nonce: nonce(fresh()), command, fate, isTimedOut: false };
    tell({ kind: "sent", nonce: of.nonce, command });
    sent.push(of);
  }

  const lost: SubmitOutcome = { kind: "unknown", why: "lost" };

  function arrive(of: Sent, step: Step): void {
    sent.splice(sent.indexOf(of), 1);
    const landed = of.fate !== "requestLost";
    const outcome = landed ? execute(of.command, step) : lost;
    note();
    const isSilent = of.fate === "silent" && outcome.kind === "executed";
    const heard = of.fate === "requestLost" || of.fate === "answerLost" ? lost : isSilent ? done([]) : outcome;
    const isOpen = of.isTimedOut || heard.kind === "unknown" || isSilent;
    if (isOpen && (of.command.kind === "place" || of.command.kind === "modify"))
      unsettled.push({ of, landed: landed && outcome.kind === "executed" });
    if (!of.isTimedOut) answers.push({ of, outcome: heard });
  }

  function answerNext(at: number): void {
    const answer = pick(answers, at);
    if (answer === undefined) return;
    answers.splice(answers.indexOf(answer), 1);
    const { of, outcome } = answer;
    tell({ kind: "answered", nonce: of.nonce, command: of.command, outcome });
    if (outcome.kind === "executed")
      for (const event of outcome.events) if (event.type === "orderCanceled") ended.add(event.orderId);
  }

  /** The answer does not come within its time; the request may still arrive. */
  function timeOut(of: Sent): void {
    of.isTimedOut = true;
    tell({ kind: "answered", nonce: of.nonce, command: of.command, outcome: lost });
  }

  /** What is unresolved is fenced: it never lands, or has, and then its market is cleared. */
  function settle(bad: boolean): void {
    for (const one of sent.filter(({ isTimedOut }) => isTimedOut)) {
      sent.splice(sent.indexOf(one), 1);
      unsettled.push({ of: one, landed: false });
    }
    for (const { of, landed } of unsettled.splice(0)) {
      const unheard = answers.findIndex((answer) => answer.of === of);
      if (unheard >= 0) answerNext(unheard);
      clear(bad);
      const verdict = landed ? "landed" : "neverLanded";
      tell({ kind: "resolved", nonce: of.nonce, command: of.command, verdict });
    }
  }

  /** A CancelAllOrders of ours; `bad`: its answer is lost, and the next one finds nothing. */
  function clear(bad: boolean): void {
    for (const isLost of bad ? [true, false] : [false]) {
      const command: Command = { kind: "cancelAll", accountId: ME, marketId: 1, fences: null };
      const nonceOf = nonce(fresh());
      tell({ kind: "sent", nonce: nonceOf, command });
      const events = cancelEverything(bad);
      tell({ kind: "answered", nonce: nonceOf, command, outcome: isLost ? lost : done(events) });
      if (!isLost) for (const event of events) if (event.type === "orderCanceled") ended.add(event.orderId);
    }
  }

  function deliver(): void {
    lastFrame = frames.shift();
    if (lastFrame === undefined) return;
    tell(lastFrame);
    if (lastFrame.kind === "orderCanceled") ended.add(lastFrame.orderId);
  }

  /** As the service does: clear, wait, ask until both witnesses agree twice, adopt. */
  function resync(step: Step): void {
    const { resyncs } = me();
    if (resyncs.size === 0) return;
    while (sent[0] !== undefined) arrive(sent[0], step);
    while (answers.length > 0) answerNext(0);
    settle(step.bad);
    clear(step.bad);
    if (!line.late || step.a % 2 === 0) deliverAll();
    scene.advance(READ_LAG_MAX_MS + 1);
    for (let round = 0; round < 2; round += 1) {
      const askedMs = scene.nowMs();
      scene.advance(5);
      readAccount();
      readTrades(0);
      if (round === 1 && resyncs.size > 0) {
        const marketId = resyncs.has(null) ? null : 1;
        tell({ kind: "adopted", account: truthNow(), marketId, askedMs });
      }
    }
    scene.advance(5);
  }

  function deliverAll(): void {
    while (frames.length > 0) deliver();
  }

  const lagOf = (b: number): number => (line.lagging ? Math.floor((b * READ_LAG_MAX_MS) / 11) : 0);

  function readTrades(lagMs: number): void {
    const askedMs = scene.nowMs();
    const listedNow = trades.slice(0, lagMs === 0 ? trades.length : truthAt(askedMs - lagMs).trades);
    scene.advance(5);
    tell({ kind: "tradesRead", marketId: 1, trades: listedNow.slice(-TRADES_LISTED).reverse(), askedMs });
  }

  function readAccount({ lagMs = 0, lie = null, seed = 0 }: Parameters<World["readAccount"]>[0] = {}): void {
    asked = { askedMs: scene.nowMs(), lagMs, lie, seed };
    scene.advance(5);
    answerRead();
  }

  function answerRead(): void {
    if (asked === undefined) return;
    const { askedMs, lagMs, lie, seed } = asked;
    asked = undefined;
    const shown = lagMs === 0 ? truthNow() : truthAt(askedMs - lagMs).account;
    tell({ kind: "accountRead", account: lie === null ? shown : lied(shown, lie, seed), askedMs });
  }

  const known = () => scene.orders().filter(({ orderId: id, state }) => id !== null && state !== "unknown");
  const placement = (step: Step, postOnly: boolean): PlaceCommand => {
    const side: Side = step.a % 2 === 0 ? "buy" : "sell";
    const away = BigInt(1 + (step.b % 3));
    const contracts = BigInt(1 + (step.a % 3));
    const at = side === "buy" ? 200n - away : 200n + away;
    return placeCommand({ side, price: price(at * USD), size: size(contracts * CONTRACT), postOnly });
  };

  const run: Record<Op, (step: Step) => void> = {
    place: (step) => isLive() && send(placement(step, true), step),
    cross: (step) => isLive() && send(placement(step, false), step),
    modify(step) {
      const order = pick(known(), step.a);
      if (order?.orderId == null || order.pending !== null || !isLive()) return;
      const newSize = size(BigInt(1 + (step.b % 4)) * CONTRACT);
      const { orderId: id, side } = order;
      const of = { kind: "modify", accountId: ME, marketId: 1, orderId: id, side, reduceOnly: false } as const;
      send({ ...of, newPrice: null, newSize, level: 0 }, step);
    },
    cancel(step) {
      const order = pick(known(), step.a);
      if (order?.orderId != null) send({ kind: "cancel", accountId: ME, marketId: 1, orderId: order.orderId }, step);
    },
    cancelAll: (step) => send({ kind: "cancelAll", accountId: ME, marketId: null, fences: null }, step),
    arrive(step) {
      const of = pick(sent, step.a);
      if (of !== undefined) arrive(of, step);
    },
    answer(step) {
      const late = step.bad
        ? pick(
            sent.filter(({ isTimedOut, fate }) => !isTimedOut && fate !== "lands"),
            step.a,
          )
        : undefined;
      if (late === undefined) answerNext(step.a);
      else timeOut(late);
    },
    hit(step) {
      const found = pick([...orders], step.a);
      if (found === undefined) return;
      const [id, order] = found;
      const left = order.size - order.filled;
      const part = step.b % 2 === 0 || left <= CONTRACT ? left : CONTRACT;
      order.filled += part;
      if (order.filled >= order.size) orders.delete(id);
      fill(id, order.side, order.price, part, "maker", step);
      note();
    },
    frame: deliver,
    repeat() {
      if (lastFrame !== undefined) tell(lastFrame);
    },
    ask({ a, b, bad }) {
      const lie = bad && line.lying ? (pick(lies, a) ?? null) : null;
      asked ??= { askedMs: scene.nowMs(), lagMs: lagOf(b), lie, seed: b };
    },
    told: answerRead,
    look({ a, b, bad }) {
      const lie = bad && line.lying ? (pick(lies, a) ?? null) : null;
      readAccount({ lagMs: lagOf(b), lie, seed: b });
    },
    trades: ({ b }) => readTrades(lagOf(b)),
    settle: ({ bad }) => settle(bad),
    resync,
    drop(step) {
      if (!step.bad || step.b > 3) return;
      frames = [];
      tell({ kind: "streamClosed", epoch, reason: "closed" });
      epoch += 1;
      tell({ kind: "streamOpened", epoch });
    },
    wait(step) {
      scene.advance(step.a * 200);
      tell(pong(scene));
    },
  };

  function quiesce(): void {
    const good: Step = { op: "resync", a: 0, b: 0, bad: false };
    while (sent[0] !== undefined) arrive(sent[0], good);
    while (answers.length > 0) answerNext(0);
    settle(false);
    deliverAll();
    asked = undefined;
    for (let round = 0; round < 8; round += 1) {
      scene.advance(READ_LAG_MAX_MS + 1000);
      tell(pong(scene));
      readTrades(0);
      tell({ kind: "fundingRead", funding: funding() });
      readAccount();
      resync(good);
    }
  }

  return {
    scene,
    step(step) {
      scene.advance(1 + (step.b % 40));
      run[step.op](step);
    },
    quiesce,
    readAccount,
    deliverAll,
    ended,
    truth: { orders, inventory: () => held.inventory, collateral: () => collateral, fills },
  };
}

/** A read with something in it that never was. */
function lied(told: Account, lie: Lie, seed: number): Account {
  const { positions, openOrders } = told;
  const [first] = positions;
  switch (lie) {
    case "noPositions":
      return { ...told, positions: [] };
    case "noOrders":
      return { ...told, openOrders: [] };
    case "empty":
      return { ...told, openOrders: [], positions: [] };
    case "lessOrders":
      return { ...told, openOrders: openOrders.slice(1 + (seed % 3)) };
    case "morePosition":
      return { ...told, positions: [position(1n, 200n, { ...first, size: size((first?.size ?? 0n) + CONTRACT) })] };
    case "otherSide":
      return { ...told, positions: [{ ...(first ?? position(2n)), side: first?.side === "sell" ? "buy" : "sell" }] };
    case "otherOrder":
      return { ...told, openOrders: [...openOrders, listed(INVENTED + BigInt(seed))] };
    case "moreOrder":
      return {
        ...told,
        openOrders: openOrders.map((order) => ({
          ...order,
          size: size(order.size + CONTRACT),
          remainingSize: size(order.remainingSize + CONTRACT),
        })),
      };
  }
}

/** Most that could be held on a side if everything that rests or may rest were filled. */
export function worstCase(
  inventory: bigint,
  resting: readonly { readonly side: Side; readonly left: bigint }[],
  side: Side,
): bigint {
  const held = signOf(side) * inventory;
  return resting.reduce((sum, order) => (order.side === side ? sum + order.left : sum), held);
}
