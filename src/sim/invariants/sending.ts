// Laws on what leaves the process: S1, S4, S6, S9, S15, each body judged as it is handed to the network.

import type { HttpEnd, HttpRequest } from "../../bot/venue/remote/http.ts";
import type { Order } from "../../domain/order.ts";
import type { MarketId, OrderId, Price } from "../../domain/units.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { type OpenedEnvelope, openEnvelope } from "../../wire/envelope.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Accuse } from "./law.ts";
import type { SecondOpinion } from "./second-opinion.ts";

/** What the world itself knows of the moment. All times in ms. */
export type Moment = {
  readonly nowMs: number;
  readonly trueChainMs: number;
  readonly botWallMs: number;
  /** A block, and how far a pong's time may be off. */
  readonly clockSlackMs: number;
  readonly isDiskFailing: boolean;
  /** When the process last woke from a stall longer than its limit; null: never. */
  readonly lastLongStallMs: number | null;
  /** Since when the operator has halted the bot, or the disk holds a halt; null: neither. */
  readonly haltedSinceMs: number | null;
};

export type SendingModules = {
  readonly knowledge: Knowledge;
  readonly secondOpinion: SecondOpinion;
  readonly moment: (marketId: MarketId | null) => Moment;
  /** An order of ours that was ever placed. */
  readonly orderOf: (orderId: OrderId) => Pick<Order, "marketId" | "reduceOnly"> | undefined;
  readonly accuse: Accuse;
};

const FACT_MS = 15_000;
const ACCOUNT_MS = 25_000;
const OFFSET_MS = 1500;
const STALL_MEMORY_MS = 4800;
/** Time that passes between a decision and the network within one instant of the process. */
const SLACK_MS = 60;

export class Sending {
  readonly #modules: SendingModules;
  /** Bodies by signer and nonce: hash, and whether it is a CancelAllOrders. */
  readonly #signed = new Map<string, { hash: string; isCancelAll: boolean }>();
  /** When an order was last free to leave: quotes were right then. */
  readonly #allowedMs = new Map<MarketId, number>();
  #waitUntilMs = 0;

  constructor(modules: SendingModules) {
    this.#modules = modules;
  }

  /** Judges a body; returns what it is. */
  sent(body: string): OpenedEnvelope {
    const envelope = openEnvelope(Buffer.from(body));
    this.#judgeNonce(envelope, body);
    const { transaction } = envelope;
    const isCancel = transaction.type === "CancelOrder" || transaction.type === "CancelAllOrders";
    const { nowMs } = this.#modules.moment(null);
    if (!isCancel && nowMs < this.#waitUntilMs) {
      this.#modules.accuse("S9", `${transaction.type} left ${(this.#waitUntilMs - nowMs).toFixed(0)} ms too early`);
    }
    if (transaction.type === "PlaceOrder" && !transaction.reduceOnly) {
      this.#judge(transaction.marketId, "PlaceOrder");
      this.#judgePrice(transaction.marketId, transaction.price, "PlaceOrder");
    }
    if (transaction.type === "ModifyOrder" && transaction.newPrice !== null) {
      // A new price is a new promise, unless the order can only reduce.
      const order = this.#modules.orderOf(transaction.orderId);
      if (order?.reduceOnly !== true) this.#judge(order?.marketId ?? null, "ModifyOrder");
      if (order?.reduceOnly === false) this.#judgePrice(order.marketId, transaction.newPrice, "ModifyOrder");
    }
    return envelope;
  }

  /** What the exchange said of our rate has reached the process. */
  ended(request: HttpRequest, end: HttpEnd): void {
    if (request.method !== "POST" || end.kind !== "answered" || end.httpStatus !== 429) return;
    const seconds = end.retryAfter === null ? 0 : Math.min(60, Number(end.retryAfter));
    const { nowMs } = this.#modules.moment(null);
    this.#waitUntilMs = Math.max(this.#waitUntilMs, nowMs + seconds * 1000 - SLACK_MS);
  }

  /** Why the facts that were delivered forbid quotes of the market now. */
  forbids(marketId: MarketId): readonly string[] {
    const { knowledge, moment, secondOpinion } = this.#modules;
    const doubt = secondOpinion.forbids(marketId);
    const faults = [...faultsOf(knowledge, marketId, { ...moment(marketId), lastLongStallMs: null })];
    return doubt === undefined ? faults : [...faults, doubt];
  }

  /** When an order of the market last left lawfully; minus infinity: never. */
  allowedMs(marketId: MarketId): number {
    return this.#allowedMs.get(marketId) ?? Number.NEGATIVE_INFINITY;
  }

  /** Another life knows nothing of it. */
  forget(): void {
    this.#waitUntilMs = 0;
  }

  #judgeNonce({ transaction, signer, nonce }: OpenedEnvelope, body: string): void {
    if (transaction.type === "CancelOrder") return;
    const name = `${signer} ${nonce}`;
    const hash = sha256Hex(body);
    const isCancelAll = transaction.type === "CancelAllOrders";
    const before = this.#signed.get(name);
    if (before !== undefined && before.hash !== hash && !isCancelAll) {
      this.#modules.accuse("S4", `nonce ${nonce} was signed again, over ${transaction.type}`);
    }
    this.#signed.set(name, before ?? { hash, isCancelAll });
  }

  #judgePrice(marketId: MarketId, price: Price, what: string): void {
    const { accuse, secondOpinion } = this.#modules;
    const why = secondOpinion.forbids(marketId) ?? secondOpinion.forbidsPrice(marketId, price);
    if (why !== undefined) accuse("S15", `${what} of market ${marketId} left: ${why}`);
  }

  #judge(marketId: MarketId | null, what: string): void {
    const { accuse, knowledge, moment } = this.#modules;
    const now = moment(marketId);
    if (now.haltedSinceMs !== null && now.nowMs > now.haltedSinceMs) {
      accuse("S6", `${what} left although halted since ${now.haltedSinceMs.toFixed(0)} ms`);
    }
    const faults = [...faultsOf(knowledge, marketId, now)];
    for (const fault of faults) accuse("S1", `${what} of market ${marketId} left: ${fault}`);
    if (faults.length === 0 && marketId !== null) this.#allowedMs.set(marketId, now.nowMs);
  }
}

function* faultsOf(knowledge: Knowledge, marketId: MarketId | null, now: Moment): Generator<string> {
  const { nowMs } = now;
  const age = (thenMs: number | null): number => (thenMs === null ? Number.POSITIVE_INFINITY : nowMs - thenMs);
  if (!knowledge.isConnected) yield "no stream";
  if (age(knowledge.lastFrameMs) > FACT_MS + SLACK_MS) yield `no frame for ${age(knowledge.lastFrameMs).toFixed(0)} ms`;
  if (now.isDiskFailing) yield "the disk fails";
  if (age(now.lastLongStallMs) < STALL_MEMORY_MS) yield "the process has just stood still";
  const offMs = Math.abs(now.trueChainMs - now.botWallMs);
  if (offMs > OFFSET_MS + now.clockSlackMs) yield `its clock is off by ${offMs.toFixed(0)} ms`;
  yield* accountFaults(knowledge, now, age);
  if (marketId === null) return;
  const { market, oracleStatus, validUntilSec, bookMs } = knowledge.market(marketId);
  if (market?.value.status !== "Active") yield `market status ${market?.value.status ?? "unknown"}`;
  if (age(market?.askedMs ?? null) > FACT_MS + SLACK_MS) yield "the market's status is old";
  if (oracleStatus?.value !== "Active") yield `oracle status ${oracleStatus?.value ?? "unknown"}`;
  if (age(oracleStatus?.askedMs ?? null) > FACT_MS + SLACK_MS) yield "the oracle's status is old";
  if (now.trueChainMs > (validUntilSec ?? 0) * 1000 + now.clockSlackMs) yield "the print has expired";
  if (age(bookMs) > FACT_MS + SLACK_MS) yield "the book is old";
}

/** A USDC is less than the margin of any quote. */
const MARGIN_MIN = 1_000_000n;

function* accountFaults(
  knowledge: Knowledge,
  { trueChainMs }: Moment,
  age: (thenMs: number | null) => number,
): Generator<string> {
  const { account } = knowledge;
  if (age(account?.askedMs ?? null) > ACCOUNT_MS + SLACK_MS) yield "the account was not read lately";
  const isApproved = account?.value.agents.some(
    ({ expiresAtSec }) => expiresAtSec === null || expiresAtSec * 1000 > trueChainMs,
  );
  if (isApproved !== true) yield "no agent key is approved";
  if ((account?.value.collateral ?? 0n) < MARGIN_MIN) yield "the collateral is gone";
}
