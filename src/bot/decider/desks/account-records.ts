// What the ledger keeps of one account as it happens: its orders, the decisions of its turns, and what the exchange showed.

import type { DialectKey, DialectWord } from "../../../domain/dialect.ts";
import type { LatchEvent } from "../../../domain/latch.ts";
import type { KnownOrder, StoredOrder } from "../../../domain/order.ts";
import type { AccountId, MarketId, OrderId } from "../../../domain/units.ts";
import type { FundingEvent, PrintEvent, TransferEvent } from "../../accounting/account-book.ts";
import type { AcceptedEvent, FillEvent, PositionEvent } from "../../accounting/market-book.ts";
import type { AuditEntry, ChainMark, EquitySnapshot, LedgerRecord } from "../../ledger/store.ts";
import type { Readings } from "../input.ts";
import type { Turn } from "../turns/turn.ts";
import type { MarketDesk } from "./market-desk.ts";
import { viewHash } from "./view-hash.ts";

type NamedOrder = Omit<KnownOrder, "accountId"> & Partial<StoredOrder>;

export class AccountRecords {
  readonly #accountId: AccountId;
  readonly #keep: (record: LedgerRecord) => void;
  /** False: nobody reads decisions, so none is kept. */
  readonly #keepsDecisions: () => boolean;
  #chain: ChainMark | null;

  /** `chain`: the account's last stored chain mark. */
  constructor(
    accountId: AccountId,
    chain: ChainMark | null,
    modules: { readonly keep: (record: LedgerRecord) => void; readonly readings: () => Readings },
  ) {
    this.#accountId = accountId;
    this.#keep = modules.keep;
    this.#keepsDecisions = () => modules.readings().takesMore;
    this.#chain = chain;
  }

  /** Keeps the account's chain mark where it has traded more than was known. */
  chain(mark: ChainMark, wallMs: number): void {
    if (this.#chain !== null && mark.lifetimeVolume <= this.#chain.lifetimeVolume) return;
    this.#chain = mark;
    this.#keep({ kind: "chain", accountId: this.#accountId, mark, atMs: wallMs });
  }

  /** Keeps an order that the exchange named as ours, so that a later run knows it and its fills. `isOver`: all its fills are known. */
  order({ orderId, marketId, side, price = null, size = null, isOver = false }: NamedOrder): void {
    const order = { accountId: this.#accountId, orderId, marketId, side, price, size, isOver };
    this.#keep({ kind: "order", order });
  }

  learned(key: DialectKey, word: DialectWord, wallMs: number): void {
    this.#keep({ kind: "dialect", learned: { accountId: this.#accountId, key, word, atMs: wallMs } });
  }

  /** Keeps that an order that might have been ours is foreign: no later run adopts it. */
  foreignOrder(orderId: OrderId): void {
    this.#keep({ kind: "foreignOrder", accountId: this.#accountId, orderId });
  }

  /** Keeps what a turn decided and the facts behind it. */
  decision({ view, plan: { commands }, verdict }: Turn, wallMs: number): void {
    if (commands.length === 0 || !this.#keepsDecisions()) return;
    const decision = {
      accountId: this.#accountId,
      marketId: view.marketId,
      atMs: wallMs,
      viewHash: viewHash(view),
      commands,
      denials: verdict.denied.flatMap(({ command, denials }) =>
        denials.map(({ reason }) => ({ kind: command.kind, reason })),
      ),
    };
    this.#keep({ kind: "decision", decision });
  }

  /** Keeps a fill, or a copy that completes its row. */
  fill(event: FillEvent, wallMs: number): void {
    this.#keep({ kind: "fill", event, receivedMs: wallMs });
  }

  funding(event: FundingEvent): void {
    this.#keep({ kind: "funding", accountId: this.#accountId, event });
  }

  transfer(event: TransferEvent, wallMs: number): void {
    this.#keep({ kind: "transfer", accountId: this.#accountId, event, atMs: wallMs });
  }

  /** Keeps a position as it was taken from the exchange. */
  position(event: PositionEvent, wallMs: number): void {
    this.#keep({ kind: "position", accountId: this.#accountId, event, atMs: wallMs });
  }

  print(event: PrintEvent, wallMs: number): void {
    this.#keep({ kind: "print", accountId: this.#accountId, event, atMs: wallMs });
  }

  /** Keeps the market's name and what it is worth now, or was at the end of the day before. `day`: null while unknown. */
  mark(market: MarketDesk, day: number | null, wallMs: number): void {
    if (day !== null) for (const mark of market.marksOn(day, wallMs)) this.#keep({ kind: "mark", mark });
  }

  accepted(event: AcceptedEvent): void {
    this.#keep({ kind: "accepted", accountId: this.#accountId, event });
  }

  equity(snapshot: Omit<EquitySnapshot, "accountId">): void {
    this.#keep({ kind: "equity", snapshot: { accountId: this.#accountId, ...snapshot } });
  }

  result(marketId: MarketId | null, state: string, wallMs: number): void {
    this.#keep({ kind: "result", result: { accountId: this.#accountId, marketId, state, atMs: wallMs } });
  }

  latch(event: LatchEvent, wallMs: number): void {
    this.#keep({ kind: "latch", event, atMs: wallMs });
  }

  /** Keeps something that the daemon itself found, booked or changed. `call`: one word for it. */
  found(call: string, reason: string, wallMs: number): void {
    this.#keep({ kind: "audit", entry: foundEntry(call, reason, wallMs) });
  }
}

/** The same, by an actor other than the machine. */
export const foundEntry = (call: string, reason: string, wallMs: number): AuditEntry => ({
  atMs: wallMs,
  call,
  caller: "daemon",
  isAuthorized: true,
  reason,
  body: null,
  status: 0,
});
