// A small exchange with a bad line, for property tests of the feed: frames are swallowed and repeated, answers and requests get lost,
// reads race with everything, connections break. It knows the truth that the feed should find.

import { afterFill, holdingAt, realizedBy } from "../../src/bot/accounting/holding.ts";
import type { Account } from "../../src/domain/account.ts";
import type { Command, ModifyCommand, PlaceCommand } from "../../src/domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../src/domain/event.ts";
import type { Trade } from "../../src/domain/fill.ts";
import { fillKey } from "../../src/domain/fill.ts";
import { meanPrice, notional } from "../../src/domain/rounding.ts";
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
  publicTrade,
  type Scene,
  USD,
} from "../unit/bot/feed/scene.ts";

/** One thing that happens; `a` and `b` choose among what is there. */
export type Step = { readonly op: Op; readonly a: number; readonly b: number; readonly bad: boolean };
export const ops = [
  "place",
  "cross",
  "modify",
  "cancel",
  "cancelAll",
  "arrive",
  "answer",
  "hit",
  "vanish",
  "frame",
  "frame",
  "frame",
  "repeat",
  "ask",
  "snap",
  "told",
  "look",
  "drop",
  "wait",
] as const;
export type Op = (typeof ops)[number];

type Resting = { readonly side: Side; price: bigint; size: bigint; filled: bigint };
type Sent = { readonly nonce: Nonce; readonly command: Command; readonly fate: "lands" | "requestLost" | "answerLost" };

export type World = {
  readonly scene: Scene;
  readonly step: (step: Step) => void;
  /** Everything is delivered, every doubt settled, and the account read until it agrees. */
  readonly quiesce: () => void;
  readonly truth: {
    readonly orders: ReadonlyMap<OrderId, Resting>;
    readonly inventory: () => bigint;
    readonly collateral: () => bigint;
    /** Notional of all fills, as reads show it. */
    readonly volume: () => bigint;
    /** Key to the order that was filled. */
    readonly fills: ReadonlyMap<string, OrderId>;
  };
};

/** `swallowing`: single frames vanish, too, and not only with their connection. */
export function createWorld(line: "keeping" | "swallowing" = "swallowing"): World {
  const scene = createScene();
  const { tell } = scene;
  const orders = new Map<OrderId, Resting>();
  let position = holdingAt(price(0n), size(0n));
  let collateral = account().collateral as bigint;
  let volume = 1_000_000n;
  const trades: Trade[] = [];
  const fills = new Map<string, OrderId>();
  let count = 0;
  let epoch = 1;
  const sent: Sent[] = [];
  const answers: { readonly of: Sent; readonly outcome: SubmitOutcome }[] = [];
  const unsettled: { readonly of: Sent; readonly landed: boolean }[] = [];
  let frames: Loose[] = [];
  let lastFrame: Loose | undefined;
  let asked: { readonly askedMs: number; snapshot: Account | undefined } | undefined;

  const fresh = (): bigint => {
    count += 1;
    return BigInt(count);
  };
  const push = (frame: Loose, bad: boolean): void => {
    if (!bad || line === "keeping") frames.push(frame);
  };
  const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];

  function snapshot(): Account {
    const inventory = position.inventory as bigint;
    const open = [...orders].map(([id, order]) =>
      listed(id, {
        side: order.side,
        price: price(order.price),
        size: size(order.size),
        filledSize: size(order.filled),
      }),
    );
    return account({
      collateral: usdc(collateral),
      lifetimeVolume: usdc(volume),
      openOrders: open,
      positions:
        inventory === 0n
          ? []
          : [
              {
                ...account().positions[0]!,
                marketId: 1,
                side: inventory > 0n ? "buy" : "sell",
                size: size(inventory > 0n ? inventory : -inventory),
                entryPrice: meanPrice(position.cost, position.inventory),
              } as Account["positions"][number],
            ],
    });
  }

  /** Fills one of our orders; returns the event for the answer of a taker. */
  function fill(id: bigint, side: Side, at: bigint, contracts: bigint, liquidity: "maker" | "taker", bad: boolean) {
    const traded = { side, price: price(at), size: size(contracts) };
    const realized = realizedBy(position, traded);
    position = afterFill(position, traded, realized);
    const filled = {
      ...execution({ mine: id, side, liquidity, hash: `h${fresh()}`, other: 100_000n + fresh() }),
      price: price(at),
      size: size(contracts),
      timestampMs: scene.nowMs() + CHAIN_OFFSET_MS,
      ...(liquidity === "maker" ? { makerRealizedPnl: realized } : { takerRealizedPnl: realized }),
    };
    collateral += realized - (liquidity === "maker" ? filled.makerFee : filled.takerFee);
    volume += notional(filled.price, filled.size);
    trades.push(publicTrade(filled));
    fills.set(fillKey(filled, liquidity), orderId(id));
    push({ kind: "trade", trade: publicTrade(filled) }, bad && count % 2 === 0);
    push({ kind: "execution", execution: filled }, bad);
    return { type: "fill", execution: filled } as const;
  }

  function cancelOrder(id: OrderId, bad: boolean): TransactionEvent | undefined {
    if (!orders.delete(id)) return undefined;
    const gone = { orderId: id, accountId: ME, marketId: 1, reason: "UserCanceled" } as const;
    push({ kind: "orderCanceled", ...gone }, bad);
    return { type: "orderCanceled", ...gone };
  }

  function execute(command: Command, bad: boolean): SubmitOutcome {
    const done = (events: readonly TransactionEvent[]): SubmitOutcome => ({ kind: "executed", hash: "h", events });
    if (command.kind === "place") return done(executePlace(command, bad));
    if (command.kind === "modify") return executeModify(command, done);
    const ids = command.kind === "cancel" ? [command.orderId] : [...orders.keys()];
    const events = ids.flatMap((id) => cancelOrder(id, bad) ?? []);
    return command.kind === "cancel" && events.length === 0
      ? { kind: "refused", hash: "h", error: "no such order" }
      : done(events);
  }

  function executePlace(command: PlaceCommand, bad: boolean): readonly TransactionEvent[] {
    const id = orderId(fresh() + 500n);
    const events: TransactionEvent[] = [];
    let filled = 0n;
    if (!command.postOnly) {
      filled = command.size > CONTRACT ? CONTRACT : command.size;
      events.push(fill(id, command.side, command.price, filled, "taker", bad));
    }
    if (filled < command.size) {
      const { side } = command;
      orders.set(id, { side, price: command.price, size: command.size, filled });
      const placed = { orderId: id, accountId: ME, marketId: 1, side, price: command.price, size: command.size };
      push({ kind: "orderPlaced", ...placed }, bad);
      events.unshift({ type: "orderPlaced", ...placed });
    }
    return events;
  }

  function executeModify(
    command: ModifyCommand,
    done: (events: readonly TransactionEvent[]) => SubmitOutcome,
  ): SubmitOutcome {
    const order = orders.get(command.orderId);
    if (order === undefined) return { kind: "refused", hash: "h", error: "no such order" };
    const whole = command.newSize ?? order.size;
    if (whole <= order.filled) return { kind: "refused", hash: "h", error: "nothing would be left" };
    order.price = command.newPrice ?? order.price;
    order.size = whole;
    return done([]);
  }

  function send(command: Command, step: Step): void {
    const fates = ["lands", "lands", "requestLost", "answerLost"] as const;
    const of: Sent = { nonce: nonce(fresh()), command, fate: step.bad ? (fates[step.b % 4] ?? "lands") : "lands" };
    tell({ kind: "sent", nonce: of.nonce, command });
    sent.push(of);
  }

  function arrive(of: Sent, bad: boolean): void {
    sent.splice(sent.indexOf(of), 1);
    const landed = of.fate !== "requestLost";
    const outcome = landed ? execute(of.command, bad) : ({ kind: "unknown", why: "lost" } as const);
    const doubted = of.fate !== "lands";
    if (doubted) unsettled.push({ of, landed });
    answers.push({ of, outcome: doubted ? { kind: "unknown", why: "lost" } : outcome });
  }

  function answerNext(at: number): void {
    const answer = pick(answers, at);
    if (answer === undefined) return;
    answers.splice(answers.indexOf(answer), 1);
    tell({ kind: "answered", nonce: answer.of.nonce, command: answer.of.command, outcome: answer.outcome });
  }

  function deliver(): void {
    lastFrame = frames.shift();
    if (lastFrame !== undefined) tell(lastFrame);
  }

  const known = () => scene.orders().filter(({ orderId: id, state }) => id !== null && state !== "unknown");
  const run: Record<Op, (step: Step) => void> = {
    place: (step) => send(placement(step, true), step),
    cross: (step) => send(placement(step, false), step),
    modify(step) {
      const order = pick(known(), step.a);
      if (order?.orderId == null || order.pending !== null) return;
      const newSize = size(BigInt(1 + (step.b % 4)) * CONTRACT);
      const { orderId: id, side } = order;
      send(
        {
          kind: "modify",
          accountId: ME,
          marketId: 1,
          orderId: id,
          side,
          reduceOnly: false,
          newPrice: null,
          newSize,
          level: 0,
        },
        step,
      );
    },
    cancel(step) {
      const order = pick(known(), step.a);
      if (order?.orderId != null) send({ kind: "cancel", accountId: ME, marketId: 1, orderId: order.orderId }, step);
    },
    cancelAll: (step) => send({ kind: "cancelAll", accountId: ME, marketId: null, fences: null }, step),
    arrive(step) {
      const of = pick(sent, step.a);
      if (of !== undefined) arrive(of, step.bad);
    },
    answer: (step) => answerNext(step.a),
    hit(step) {
      const found = pick([...orders], step.a);
      if (found === undefined) return;
      const [id, order] = found;
      const left = order.size - order.filled;
      const part = step.b % 2 === 0 || left <= CONTRACT ? left : CONTRACT;
      order.filled += part;
      if (order.filled >= order.size) orders.delete(id);
      fill(id, order.side, order.price, part, "maker", step.bad);
    },
    vanish(step) {
      const id = pick([...orders.keys()], step.a);
      if (id !== undefined && step.bad) orders.delete(id);
    },
    frame: deliver,
    repeat() {
      if (lastFrame !== undefined) tell(lastFrame);
    },
    ask() {
      asked ??= { askedMs: scene.nowMs(), snapshot: undefined };
    },
    snap() {
      if (asked !== undefined) asked.snapshot = snapshot();
    },
    told() {
      if (asked?.snapshot === undefined) return;
      tell({ kind: "accountRead", account: asked.snapshot, askedMs: asked.askedMs });
      asked = undefined;
    },
    look() {
      scene.advance(250);
      readTrades();
      readAccount();
    },
    drop(step) {
      if (!step.bad) return;
      frames = [];
      tell({ kind: "streamClosed", epoch, reason: "closed" });
      epoch += 1;
      tell({ kind: "streamOpened", epoch });
      readAccount();
      readTrades();
    },
    wait: (step) => scene.advance(step.a * 50),
  };

  const placement = (step: Step, postOnly: boolean): PlaceCommand => {
    const side: Side = step.a % 2 === 0 ? "buy" : "sell";
    const away = BigInt(1 + (step.b % 3));
    const contracts = BigInt(1 + (step.a % 3));
    const at = side === "buy" ? 200n - away : 200n + away;
    return placeCommand({ side, price: price(at * USD), size: size(contracts * CONTRACT), postOnly });
  };

  function readTrades(): void {
    const askedMs = scene.nowMs();
    scene.advance(5);
    tell({ kind: "tradesRead", marketId: 1, trades: [...trades], askedMs });
  }

  function readAccount(): void {
    const askedMs = scene.nowMs();
    scene.advance(5);
    tell({ kind: "accountRead", account: snapshot(), askedMs });
  }

  /** What reads lack is refuted by one that shows a later order. */
  function placeOneMore(): void {
    const of: Sent = {
      nonce: nonce(fresh()),
      command: placement({ op: "place", a: 0, b: 2, bad: false }, true),
      fate: "lands",
    };
    scene.advance(1);
    tell({ kind: "sent", nonce: of.nonce, command: of.command });
    sent.push(of);
    arrive(of, false);
    answerNext(0);
    while (frames.length > 0) deliver();
  }

  function quiesce(): void {
    while (sent[0] !== undefined) arrive(sent[0], false);
    while (answers.length > 0) answerNext(0);
    while (frames.length > 0) deliver();
    scene.advance(3000);
    tell(pong(scene));
    readTrades();
    readAccount();
    for (const { of, landed } of unsettled.splice(0)) {
      tell({ kind: "resolved", nonce: of.nonce, command: of.command, verdict: landed ? "landed" : "neverLanded" });
    }
    placeOneMore();
    for (let round = 0; round < 6; round += 1) {
      scene.advance(300);
      tell(pong(scene));
      readTrades();
      tell({ kind: "fundingRead", funding: funding() });
      readAccount();
    }
  }

  return {
    scene,
    step(step) {
      scene.advance(1 + (step.b % 40));
      run[step.op](step);
    },
    quiesce,
    truth: { orders, inventory: () => position.inventory, collateral: () => collateral, volume: () => volume, fills },
  };
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
