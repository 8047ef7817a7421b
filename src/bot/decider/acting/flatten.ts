// Closes all positions: cancels everything first, then sends reduce-only market orders in steps that the guard passes, until two lists of
// the exchange (the account's own, and its positions read alone), asked `readLagMaxMs` after the last step, show no position. Works only
// under a halt: otherwise quotes would reopen what this closes.

import { type Account, type Position, type Positions, unreadableText } from "../../../domain/account.ts";
import type { Command, PlaceCommand } from "../../../domain/command.ts";
import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import { type AccountId, type MarketId, price, type Size } from "../../../domain/units.ts";
import { fresh, type View } from "../../../domain/view.ts";
import type { Denial, Verdict } from "../../risk/guard.ts";
import { reduction } from "../../strategy/target-quotes.ts";
import { cancelTiming } from "../../timing.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import { denialText } from "../desks/denial-text.ts";
import type { MarketDesk } from "../desks/market-desk.ts";
import type { FlattenOptions } from "../input.ts";
import type { Flattened } from "../output.ts";
import type { Answer, Work } from "../work.ts";

export const defaultFlatten: FlattenOptions = { maxSlippageBps: 100, deadlineMs: cancelTiming.flattenMs };

export type FlattenModules = {
  readonly work: Pick<Work, "clock" | "after" | "readAccount" | "listPositions">;
  /** Cancels everything; calls back with the orders that may still rest. */
  readonly clear: (desk: AccountDesk, onEnd: (remaining: readonly string[]) => void) => void;
  readonly view: (account: AccountId, market: MarketId) => View;
  /** Sends the first order that the guard passes. Returns the verdict on the last one judged; null: we may not act in the market. */
  readonly close: (commands: readonly Command[]) => Verdict | null;
  /** Transactions that are waiting, under way or unresolved. */
  readonly underWay: (account: AccountId) => number;
  /** A read may be this much older than its request. */
  readonly readLagMaxMs: number;
  /** The daemon is stopping: no further step. */
  readonly isStopping: () => boolean;
};

/** Calls back once. */
export function flattenAccount(
  desk: AccountDesk,
  options: FlattenOptions,
  modules: FlattenModules,
  onEnd: (flattened: Flattened) => void,
): void {
  const { accountId } = desk;
  modules.clear(desk, (remaining) => {
    if (remaining.length > 0) onEnd({ accountId, kind: "ordersMayRest", lines: remaining });
    else new Closing(desk, options, modules, onEnd).begin();
  });
}

/** Positions that the exchange shows, whether more steps may change them, and whether the lists are newer than the last step. */
type Left = { readonly lines: readonly string[]; readonly isClosable: boolean; readonly isSettled: boolean };

class Closing {
  readonly #desk: AccountDesk;
  readonly #options: FlattenOptions;
  readonly #modules: FlattenModules;
  readonly #onEnd: (flattened: Flattened) => void;
  readonly #deadlineMs: number;
  /** Extended for a last step that left just before the deadline. */
  readonly #endMs: number;
  /** Why the guard denied the newest step of each market. */
  readonly #denials = new Map<MarketDesk, readonly Denial[]>();
  /** Since when nothing of ours has been on its way, monotonic; null: something was at the last look. */
  #quietMs: number | null = null;

  constructor(
    desk: AccountDesk,
    options: FlattenOptions,
    modules: FlattenModules,
    onEnd: (flattened: Flattened) => void,
  ) {
    const nowMs = modules.work.clock.monotonicMs();
    this.#desk = desk;
    this.#options = options;
    this.#modules = modules;
    this.#onEnd = onEnd;
    this.#deadlineMs = nowMs + options.deadlineMs;
    this.#endMs = this.#deadlineMs + modules.readLagMaxMs + 3 * cancelTiming.flattenStepMs;
  }

  begin(): void {
    this.#look((left) => this.#next(left));
  }

  #next(left: Left): void {
    const { work, isStopping } = this.#modules;
    const nowMs = work.clock.monotonicMs();
    const isOpen = left.isClosable || !left.isSettled;
    if (!isOpen) {
      this.#end(left);
      return;
    }
    if (nowMs >= this.#endMs || !this.#desk.isHalted() || isStopping()) {
      this.#look((last) => this.#end(last));
      return;
    }
    if (nowMs < this.#deadlineMs) for (const market of this.#desk.markets.values()) this.#step(market);
    work.after(cancelTiming.flattenStepMs, () => {
      if (this.#isQuiet() && this.#seemsFlat()) this.#look((now) => this.#next(now));
      else this.#next(left);
    });
  }

  #end({ lines }: Left): void {
    const { accountId } = this.#desk;
    if (lines.length === 0) {
      this.#onEnd({ accountId, kind: "flat", lines: [] });
      return;
    }
    const lifted = this.#desk.isHalted() ? [] : [`account ${accountId}: the halt was lifted meanwhile`];
    this.#onEnd({ accountId, kind: "notFlat", lines: [...lines, ...lifted] });
  }

  /** Sends one reducing order, unless one is out, the position is unknown or there is none. */
  #step(market: MarketDesk): void {
    const { view: viewOf, close } = this.#modules;
    const view = viewOf(this.#desk.accountId, market.marketId);
    const position = fresh(view.position);
    if (position === undefined || position.inventory === 0n || view.orders.some(({ isForeign }) => !isForeign)) return;
    this.#denials.delete(market);
    const orders = slippages(this.#options.maxSlippageBps).map((bps) => closingOrder(market, position.inventory, bps));
    const verdict = close(orders);
    if (verdict === null) return;
    const [denied] = verdict.denied;
    if (verdict.approved.length === 0) this.#denials.set(market, denied?.denials ?? []);
    else this.#isQuiet();
  }

  /** Whether nothing of ours has been on its way for the lag of a read. Call it after each step. */
  #isQuiet(): boolean {
    const { underWay, work, readLagMaxMs } = this.#modules;
    const nowMs = work.clock.monotonicMs();
    this.#quietMs = underWay(this.#desk.accountId) > 0 ? null : (this.#quietMs ?? nowMs);
    return this.#quietMs !== null && nowMs - this.#quietMs >= readLagMaxMs;
  }

  /** As far as we know, every market that we can act on holds nothing. */
  #seemsFlat(): boolean {
    const { view } = this.#modules;
    return [...this.#desk.markets.keys()].every((marketId) => {
      const { position, orders } = view(this.#desk.accountId, marketId);
      return fresh(position)?.inventory === 0n && orders.length === 0;
    });
  }

  /** Asks the exchange twice. */
  #look(then: (left: Left) => void): void {
    const { accountId } = this.#desk;
    const { readAccount, listPositions } = this.#modules.work;
    const isQuiet = this.#isQuiet();
    const answers: { account?: Answer<Account>; listed?: Answer<Positions> } = {};
    const whenBoth = (answered: typeof answers): void => {
      Object.assign(answers, answered);
      const { account, listed } = answers;
      if (account !== undefined && listed !== undefined) then(this.#leftIn(account, listed, isQuiet));
    };
    readAccount(accountId, (account) => whenBoth({ account }));
    listPositions(accountId, (listed) => whenBoth({ listed }));
  }

  #leftIn(said: Answer<Account>, alone: Answer<Positions>, isQuiet: boolean): Left {
    const { accountId, markets } = this.#desk;
    if ("why" in said || "why" in alone) {
      const why = "why" in said ? said.why : "why" in alone ? alone.why : "";
      return { lines: [`account ${accountId}: cannot be read: ${why}`], isClosable: true, isSettled: false };
    }
    const [account, listed] = [said.value, alone.value];
    const [one, other] = [heldIn(account), heldIn(listed)];
    const held = [...new Set([...one.keys(), ...other.keys()])];
    const unreadable = [...account.unreadable, ...listed.unreadable].map(unreadableText);
    const lines = [
      ...held.map(
        (marketId) => `market ${marketId}: ${this.#describe(marketId, one.get(marketId), other.get(marketId))}`,
      ),
      ...account.openOrders.map(({ marketId, orderId }) => `market ${marketId}: order ${orderId} rests`),
    ].map((line) => `account ${accountId} ${line}`);
    lines.push(...Array.from(new Set(unreadable), (text) => `account ${accountId}: ${text}`));
    const isClosable = account.openOrders.length > 0 || held.some((marketId) => markets.has(marketId));
    const isSettled = isQuiet || lines.length > 0;
    if (!isSettled) lines.push(`account ${accountId}: shows no position, and something of ours was still on its way`);
    return { lines, isClosable, isSettled };
  }

  #describe(marketId: MarketId, one: Position | undefined, other: Position | undefined): string {
    const [said, listed] = [heldText(one), heldText(other)];
    const held = said === listed ? said : `${said} by the account, ${listed} by its list of positions`;
    const market = this.#desk.markets.get(marketId);
    return `${held}; ${market === undefined ? "not in the configuration, so it has no limits" : this.#why(market)}`;
  }

  #why(market: MarketDesk): string {
    const denials = this.#denials.get(market) ?? [];
    if (denials.length === 0) return "no counterparty within the slippage cap";
    return denials.map(({ reason, numbers }) => denialText(reason, numbers)).join("; ");
  }
}

const heldIn = ({ positions }: Positions): ReadonlyMap<MarketId, Position> =>
  new Map(positions.flatMap((one) => (one.size > 0n ? [[one.marketId, one]] : [])));

const heldText = (position: Position | undefined): string => {
  if (position === undefined) return "flat";
  const { side, size: contracts, entryPrice } = position;
  return `${side === "buy" ? "long" : "short"} ${contractsOf(contracts)} at ${usdOf(entryPrice)}`;
};

/** Returns the most slippage, then repeatedly half as much, basis points. */
function slippages(mostBps: number): readonly number[] {
  const all: number[] = [];
  for (let bps = mostBps; bps >= 1; bps = Math.floor(bps / 2)) all.push(bps);
  return all;
}

/** Returns an order for at most one order's worth of the position; the rest takes more steps. */
function closingOrder(
  { accountId, marketId, quoted }: MarketDesk,
  inventory: Size,
  maxSlippageBps: number,
): PlaceCommand {
  return {
    kind: "place",
    accountId,
    marketId,
    ...reduction(inventory, quoted.limits.maxOrderSize),
    orderType: "Market",
    price: price(0n),
    reduceOnly: true,
    postOnly: false,
    timeInForce: "IOC",
    maxSlippageBps,
    level: null,
  };
}
