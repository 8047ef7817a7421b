// How honest a queue model is: the orders of a recorded session, placed, moved and canceled when the exchange took them, in a devnet that
// repeats the session's market; what is filled there against what was really filled.

import { type Pnl, pnlComponents } from "../../bot/accounting/market-book.ts";
import type { ChainEvent } from "../../devnet/event.ts";
import { inventoryOf } from "../../domain/account.ts";
import { mid as midOf } from "../../domain/book.ts";
import type { PlaceCommand } from "../../domain/command.ts";
import { type Fill, fillsOf } from "../../domain/fill.ts";
import { type QueueModel, queueModels } from "../../domain/queue.ts";
import { notional } from "../../domain/rounding.ts";
import {
  type AccountId,
  AMOUNT_SCALE,
  type MarketId,
  type OrderId,
  type Price,
  price,
  type Size,
  size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { createVirtualClock } from "../../kernel/virtual-clock.ts";
import { createMirrored, type Mirrored } from "../../paper/paper-exchange.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../wire/signing-simulated.ts";
import { plainTerms } from "../../wire/transaction/trading.ts";
import { type Happened, type OwnOrder, type Recording, readSession, replaySession, type Session } from "./session.ts";
import { Tally } from "./tally.ts";

/** Predicted volume within this share of the real one has no bias. */
export const BIAS_FROM = 0.05;

export type ReconcileLine = {
  readonly kind: "reconcile";
  readonly model: QueueModel;
  readonly realFills: number;
  readonly predictedFills: number;
  /** Of the predicted volume, what the same order really traded at most; 1 where nothing was predicted. */
  readonly precision: number;
  /** Of the real volume, what was predicted for the same order at most; 1 where nothing was traded. */
  readonly recall: number;
  readonly volumeReal: string;
  readonly volumePredicted: string;
  readonly pnlReal: string;
  readonly pnlPredicted: string;
  /** Predicted less real, by source. */
  readonly pnlDifference: Readonly<Record<keyof Pnl, string>>;
  /** By how much later the matched volume is filled in the model, mean, ms; null where none is matched. */
  readonly meanDelayMs: number | null;
  readonly bias: "under" | "over" | "none";
  /** Predicted volume over the real one, less 1, percent; null where nothing was traded. */
  readonly biasPercent: number | null;
  /** `model`: what the model adds to when the exchange took each order; the others from a transaction's send to its answer. */
  readonly latencyMs: { readonly model: 0; readonly median: number | null; readonly p99: number | null };
};

/** Throws SessionError, and what the recording throws. */
export async function reconcile(recording: Recording): Promise<readonly ReconcileLine[]> {
  const session = await readSession(recording);
  const market = new Mids(session);
  const real = new Tally(session.fromMs);
  const runs = queueModels.map((model) => new ModelRun(model, session, market));
  const traded: Traded = new Map();
  for (const { accountId, positions } of session.accounts)
    for (const position of positions) {
      const { marketId } = position;
      for (const tally of [real, ...runs.map((run) => run.tally)])
        tally.open(accountId, marketId, inventoryOf(position), market.mid(marketId));
    }
  let atMs = session.fromMs;
  for await (const happened of replaySession(recording, session)) {
    atMs = Math.max(atMs, happened.wallMs);
    if (happened.kind === "fill") {
      const { fill } = happened;
      real.fill(fill, market.mid(fill.marketId), atMs);
      note(traded, fill.orderId, fill, atMs);
    }
    for (const run of runs) run.take(happened, atMs);
    for (const tally of [real, ...runs.map((run) => run.tally)]) market.tell(tally, happened, atMs);
    market.take(happened);
  }
  const ends = { real: real.end(market.mids, atMs), traded, latencies: latenciesOf(session.sendToAnswerMs) };
  const lines: ReconcileLine[] = [];
  for (const run of runs) lines.push(await run.end(ends, atMs));
  return lines;
}

type Ends = {
  readonly real: ReturnType<Tally["end"]>;
  readonly traded: Traded;
  readonly latencies: ReconcileLine["latencyMs"];
};

/** By order: the value that it traded, and that value times when. */
type Traded = Map<OrderId, { value: bigint; atMs: number }>;

function note(traded: Traded, orderId: OrderId, fill: Pick<Fill, "price" | "size">, atMs: number): void {
  const value = notional(fill.price, fill.size);
  const before = traded.get(orderId) ?? { value: 0n, atMs: 0 };
  traded.set(orderId, { value: before.value + value, atMs: before.atMs + Number(value) * atMs });
}

/** Mids of the others' book and oracle prices, of now. */
class Mids {
  readonly mids = new Map<MarketId, Price>();
  readonly #oracle = new Map<MarketId, Price>();

  constructor({ markets }: Session) {
    for (const { market, oracle } of markets) {
      this.mids.set(market.marketId, oracle.price);
      this.#oracle.set(market.marketId, oracle.price);
    }
  }

  mid(marketId: MarketId): Price {
    return this.mids.get(marketId) ?? price(0n);
  }

  take(happened: Happened): void {
    if (happened.kind !== "told") return;
    const { told } = happened;
    if (told.kind === "oracleUpdate") this.#oracle.set(told.marketId, told.price);
    if (told.kind === "oracleRead") this.#oracle.set(told.oracle.marketId, told.oracle.price);
    if (told.kind !== "book") return;
    const mid = midOf(told.book);
    if (mid !== undefined) this.mids.set(told.book.marketId, mid);
  }

  /** To be told before `take`. */
  tell(tally: Tally, happened: Happened, atMs: number): void {
    if (happened.kind !== "told") return;
    const { told } = happened;
    if (told.kind === "oracleUpdate") tally.printed(told.marketId, told.validUntilSec, this.mid(told.marketId), atMs);
    if (told.kind === "fundingUpdate") {
      const { marketId, fundingRate, lastFundingTimestampSec } = told;
      tally.settled(marketId, fundingRate, this.#oracle.get(marketId) ?? price(0n), lastFundingTimestampSec);
    }
    if (told.kind === "book") tally.follow(told.book.marketId, midOf(told.book) ?? this.mid(told.book.marketId), atMs);
  }
}

/** More than any order needs: the session's orders were within the margin that there really was. */
const COLLATERAL = usdc(10n ** 16n);

/** One order of the session in the model's devnet. */
type Stood = { orderId: OrderId | null; filled: bigint; filledBefore: bigint };

class ModelRun {
  readonly tally: Tally;
  readonly #model: QueueModel;
  readonly #market: Mids;
  readonly #world;
  readonly #mirrored: Mirrored;
  readonly #traded: Traded = new Map();
  /** By the session's order, and the session's order by the devnet's. */
  readonly #orders = new Map<OrderId, Stood>();
  readonly #names = new Map<OrderId, OrderId>();
  #placing: OrderId | null = null;
  #atMs: number;

  constructor(model: QueueModel, session: Session, market: Mids) {
    this.#model = model;
    this.#market = market;
    this.#atMs = session.fromMs;
    this.tally = new Tally(session.fromMs);
    this.#world = createVirtualClock({ startMs: session.fromMs });
    const { markets, feeTiers, accounts } = session;
    this.#mirrored = createMirrored(
      {
        chainId: "recorded",
        markets,
        feeTiers,
        accounts: accounts.map(({ accountId, feeTierVolume30d }) => ({
          accountId,
          collateral: COLLATERAL,
          volume30d: feeTierVolume30d,
        })),
        model,
        numbering: 0,
      },
      {
        clock: this.#world,
        verifier: keyedHashVerifier,
        enclave: { entropy: { bytes: (count) => new Uint8Array(count) }, signerOf: keyedHashSigner },
        log: () => {},
      },
    );
    for (const { accountId, positions } of accounts)
      for (const position of positions) this.#hold(accountId, position.marketId, inventoryOf(position));
    this.#mirrored.exchange.chain.onEvents(({ events }) => {
      for (const event of events) this.#hear(event);
    });
  }

  take(happened: Happened, atMs: number): void {
    this.#world.advanceSync(Math.max(0, atMs - this.#atMs));
    this.#atMs = Math.max(atMs, this.#atMs);
    const { mirror } = this.#mirrored;
    switch (happened.kind) {
      case "told":
        mirror.tell(happened.told);
        break;
      case "trade":
        mirror.repeat(happened.trade, happened.own);
        break;
      case "placed":
        this.#place(happened.order, happened.command);
        break;
      case "modified":
        this.#modify(happened.order);
        break;
      case "gone":
        this.#cancel(happened.order);
        break;
      default:
        break;
    }
  }

  async end({ real, traded, latencies }: Ends, atMs: number): Promise<ReconcileLine> {
    const predicted = this.tally.end(this.#market.mids, atMs);
    await this.#mirrored.exchange.close();
    const all = [...new Set([...traded.keys(), ...this.#traded.keys()])];
    let [matched, of, ofPredicted, delay] = [0n, 0n, 0n, 0];
    for (const orderId of all) {
      const one = traded.get(orderId);
      const other = this.#traded.get(orderId);
      of += one?.value ?? 0n;
      ofPredicted += other?.value ?? 0n;
      if (one === undefined || other === undefined) continue;
      const both = one.value < other.value ? one.value : other.value;
      matched += both;
      delay += Number(both) * (other.atMs / Number(other.value) - one.atMs / Number(one.value));
    }
    const bias = of === 0n ? null : Number(ofPredicted) / Number(of) - 1;
    return {
      kind: "reconcile",
      model: this.#model,
      realFills: real.fills,
      predictedFills: predicted.fills,
      precision: share(matched, ofPredicted),
      recall: share(matched, of),
      volumeReal: amount(real.volume),
      volumePredicted: amount(predicted.volume),
      pnlReal: amount(real.pnl.total),
      pnlPredicted: amount(predicted.pnl.total),
      pnlDifference: bySource((source) => usdc(predicted.pnl[source] - real.pnl[source])),
      meanDelayMs: matched === 0n ? null : Math.round(delay / Number(matched)),
      bias: bias === null || Math.abs(bias) <= BIAS_FROM ? "none" : bias < 0 ? "under" : "over",
      biasPercent: bias === null ? null : rounded(100 * bias),
      latencyMs: latencies,
    };
  }

  /** What was held before the session. */
  #hold(accountId: AccountId, marketId: MarketId, inventory: Size): void {
    if (inventory === 0n) return;
    const { exchange, mirror } = this.#mirrored;
    const tick = exchange.chain.reads.market(marketId)?.tickSize ?? price(1n);
    const at = price((this.#market.mid(marketId) / tick) * tick);
    const contracts = size(inventory < 0n ? -inventory : inventory);
    const level = { price: at, size: contracts, orderCount: 1 };
    const isLong = inventory > 0n;
    const show = (levels: readonly (typeof level)[]) => {
      const book = { marketId, bids: isLong ? [] : levels, asks: isLong ? levels : [] };
      mirror.tell({ kind: "book", book, receivedMs: 0 });
    };
    show([level]);
    this.#act(accountId, { marketId, side: isLong ? "buy" : "sell", price: at, size: contracts, timeInForce: "IOC" });
    show([]);
  }

  #place(order: OwnOrder, command: PlaceCommand | null): void {
    this.#orders.set(order.orderId, { orderId: null, filled: 0n, filledBefore: 0n });
    this.#put(order, size(order.size - order.filled), command);
  }

  #put(
    { orderId, accountId, marketId, side, price: at }: OwnOrder,
    contracts: Size,
    command: PlaceCommand | null,
  ): void {
    this.#placing = orderId;
    const {
      orderType = "Limit",
      postOnly = false,
      reduceOnly = false,
      timeInForce = "GTC",
      maxSlippageBps = null,
    } = command ?? {};
    const terms = { orderType, postOnly, reduceOnly, timeInForce, maxSlippageBps };
    this.#act(accountId, { ...terms, marketId, side, price: orderType === "Market" ? price(0n) : at, size: contracts });
    this.#placing = null;
  }

  /** The whole size counts what was filled, which here may be more or less. */
  #modify(order: OwnOrder): void {
    const stood = this.#orders.get(order.orderId);
    if (stood === undefined) return;
    const left = order.size - stood.filled;
    if (left <= 0n) this.#cancel(order);
    else if (stood.orderId === null) {
      stood.filledBefore = stood.filled;
      this.#put(order, size(left), null);
    } else {
      const newSize = size(order.size - stood.filledBefore);
      const transaction = { type: "ModifyOrder", orderId: stood.orderId, newPrice: order.price, newSize } as const;
      this.#mirrored.exchange.chain.act({ accountId: order.accountId, transaction });
    }
  }

  #cancel({ accountId, orderId }: OwnOrder): void {
    const stood = this.#orders.get(orderId);
    if (stood?.orderId === undefined || stood.orderId === null) return;
    this.#mirrored.exchange.chain.act({ accountId, transaction: { type: "CancelOrder", orderId: stood.orderId } });
  }

  #act(
    accountId: AccountId,
    order: Pick<PlaceCommand, "marketId" | "side" | "price" | "size" | "timeInForce"> & Partial<PlaceCommand>,
  ): void {
    const { marketId, side, price: at, size: contracts, timeInForce } = order;
    const { orderType = "Limit", reduceOnly = false, postOnly = false, maxSlippageBps = null } = order;
    const terms = { orderType, reduceOnly, postOnly, timeInForce };
    const transaction = {
      type: "PlaceOrder",
      ...plainTerms,
      accountId,
      marketId,
      side,
      price: at,
      size: contracts,
      ...terms,
      maxSlippageBps,
    } as const;
    this.#mirrored.exchange.chain.act({ accountId, transaction });
  }

  #hear(event: ChainEvent): void {
    const { isOurs } = this.#mirrored;
    if (event.type === "OrderPlaced" && isOurs(event.order.accountId) && this.#placing !== null) {
      this.#names.set(event.order.orderId, this.#placing);
      const stood = this.#orders.get(this.#placing);
      if (stood !== undefined) stood.orderId = event.order.orderId;
    } else if (event.type === "OrderCanceled" && isOurs(event.accountId)) {
      this.#forget(event.orderId);
    } else if (event.type === "Fill") {
      const { makerAccountId, takerAccountId } = event.execution;
      for (const id of new Set([makerAccountId, takerAccountId]))
        if (isOurs(id)) this.#fill(fillsOf(event.execution, id));
    }
  }

  #fill(fills: readonly Fill[]): void {
    for (const fill of fills) {
      const orderId = this.#names.get(fill.orderId);
      if (orderId === undefined) continue;
      this.tally.fill(fill, this.#market.mid(fill.marketId), this.#atMs);
      note(this.#traded, orderId, fill, this.#atMs);
      const stood = this.#orders.get(orderId);
      if (stood === undefined) continue;
      stood.filled += fill.size;
      const order = this.#mirrored.exchange.chain.reads.account(fill.accountId)?.openOrders;
      if (order?.every((each) => each.orderId !== fill.orderId)) this.#forget(fill.orderId);
    }
  }

  #forget(orderId: OrderId): void {
    const name = this.#names.get(orderId);
    const stood = name === undefined ? undefined : this.#orders.get(name);
    if (stood?.orderId === orderId) stood.orderId = null;
  }
}

const bySource = (of: (source: keyof Pnl) => Usdc): Readonly<Record<keyof Pnl, string>> =>
  Object.fromEntries(pnlComponents.map((source) => [source, amount(of(source))])) as Record<keyof Pnl, string>;

function latenciesOf(sendToAnswerMs: readonly number[]): ReconcileLine["latencyMs"] {
  const sorted = sendToAnswerMs.toSorted((a, b) => a - b);
  const at = (part: number): number | null => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    return value === undefined ? null : rounded(value);
  };
  return { model: 0, median: at(0.5), p99: at(0.99) };
}

const share = (part: bigint, whole: bigint): number => (whole === 0n ? 1 : rounded(Number(part) / Number(whole)));
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
const amount = (value: Usdc): string => formatDecimal(value, AMOUNT_SCALE);
