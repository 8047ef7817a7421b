// What the ledger keeps of one account as it comes to light: its orders, what its turns decided, and what the exchange showed of it.

import type { DialectKey, DialectWord } from "../../../domain/dialect.ts";
import type { KnownOrder, StoredOrder } from "../../../domain/order.ts";
import type { AccountId, OrderId } from "../../../domain/units.ts";
import type { PrintEvent } from "../../accounting/account-book.ts";
import type { AcceptedEvent, PositionEvent } from "../../accounting/market-book.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ChainMark } from "../../ledger/store.ts";
import type { Turn } from "../turn.ts";
import type { MarketDesk } from "./market-desk.ts";
import { viewHash } from "./view-hash.ts";

type NamedOrder = Omit<KnownOrder, "accountId"> & Partial<StoredOrder>;

export class AccountRecords {
  readonly #accountId: AccountId;
  readonly #ledger: Ledger;
  #chain: ChainMark | null;

  constructor(accountId: AccountId, ledger: Ledger) {
    this.#accountId = accountId;
    this.#ledger = ledger;
    this.#chain = ledger.read.chain(accountId);
  }

  /** What the account shows of its chain, where it has traded more than was known. */
  chain(mark: ChainMark, wallMs: number): void {
    if (this.#chain !== null && mark.lifetimeVolume <= this.#chain.lifetimeVolume) return;
    this.#chain = mark;
    this.#ledger.chain(this.#accountId, mark, wallMs);
  }

  /** The exchange named an order of ours: what rests or fills under this id later is ours. `isOver`: all its fills are known. */
  order({ orderId, marketId, side, price = null, size = null, isOver = false }: NamedOrder): void {
    this.#ledger.order({ accountId: this.#accountId, orderId, marketId, side, price, size, isOver });
  }

  /** A word of the exchange's dialect was learned. */
  learned(key: DialectKey, word: DialectWord, wallMs: number): void {
    this.#ledger.dialect({ accountId: this.#accountId, key, word, atMs: wallMs });
  }

  /** An order that was kept because it might have been ours is somebody else's: no later run takes it for its own. */
  foreignOrder(orderId: OrderId): void {
    this.#ledger.foreignOrder(this.#accountId, orderId);
  }

  /** What a turn decided and on what, for those who ask later. */
  decision({ view, plan: { commands }, verdict }: Turn, wallMs: number): void {
    if (commands.length === 0 || !this.#ledger.takesMore) return;
    this.#ledger.decision({
      accountId: this.#accountId,
      marketId: view.marketId,
      atMs: wallMs,
      viewHash: viewHash(view),
      commands,
      denials: verdict.denied.flatMap(({ command, denials }) =>
        denials.map(({ reason }) => ({ kind: command.kind, reason })),
      ),
    });
  }

  /** A position as it was taken from the exchange. */
  position(event: PositionEvent, wallMs: number): void {
    this.#ledger.position(this.#accountId, event, wallMs);
  }

  print(event: PrintEvent, wallMs: number): void {
    this.#ledger.print(this.#accountId, event, wallMs);
  }

  /** What a market is worth now, or was at the end of the day before, and its name. `day`: null while it is unknown. */
  mark(market: MarketDesk, day: number | null, wallMs: number): void {
    if (day !== null) for (const mark of market.marksOn(day, wallMs)) this.#ledger.mark(mark);
  }

  accepted(event: AcceptedEvent): void {
    this.#ledger.accepted(this.#accountId, event);
  }

  /** Something that the daemon itself found, booked or changed, for those who ask later. `call`: one word for it. */
  found(call: string, reason: string, wallMs: number): void {
    this.#ledger.audit({ atMs: wallMs, call, caller: "daemon", isAuthorized: true, reason, body: null, status: 0 });
  }
}
