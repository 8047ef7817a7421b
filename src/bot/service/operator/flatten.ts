// Closing what is held: everything canceled first, then market orders that may only reduce, in steps that the guard lets pass, until two
// lists of the exchange (the account's own, and its positions read alone) show no position, asked `readLagMaxMs` after the last step. Works
// under a halt and only there: quotes would open again what this closes.

import { type Account, type Position, type Positions, unreadableText } from "../../../domain/account.ts";
import type { PlaceCommand } from "../../../domain/command.ts";
import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import { type AccountId, type MarketId, price, type Size } from "../../../domain/units.ts";
import { fresh } from "../../../domain/view.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { denialText } from "../../decider/desks/denial-text.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import type { Slots } from "../../decider/slots.ts";
import type { Execution } from "../../execution/execution.ts";
import type { Driver } from "../../live/driver.ts";
import type { Denial } from "../../risk/guard.ts";
import { reduction } from "../../strategy/target-quotes.ts";
import { cancelTiming } from "../../timing.ts";

export type FlattenOptions = {
  /** How far from oracle and mark price a step may trade; the guard's own collar may make it less. */
  readonly maxSlippageBps: number;
  readonly deadlineMs: number;
};

export const defaultFlatten: FlattenOptions = { maxSlippageBps: 100, deadlineMs: cancelTiming.flattenMs };

/** `lines` name what is left: positions, or orders that may still rest. */
export type Flattened = {
  readonly accountId: AccountId;
  readonly kind: "flat" | "notFlat" | "ordersMayRest";
  readonly lines: readonly string[];
};

export type FlattenModules = {
  readonly driver: Pick<Driver, "close" | "view">;
  readonly execution: Execution;
  readonly slots: Pick<Slots, "waiting" | "underWay">;
  /** Cancels everything; resolves with what may still rest. */
  readonly clear: () => Promise<readonly string[]>;
  /** Reads the account and folds it. Rejects when that failed. */
  readonly readAccount: (account: AccountId) => Promise<Account>;
  /** Reads its positions alone, the second witness. Rejects when that failed. */
  readonly readPositions: (account: AccountId) => Promise<Positions>;
  /** A read may show the state of so long before it was asked. */
  readonly readLagMaxMs: number;
  /** The daemon stops: no further step. */
  readonly isStopping: () => boolean;
  readonly clock: Clock;
};

/** Never rejects. */
export async function flattenAccount(
  desk: AccountDesk,
  options: FlattenOptions,
  modules: FlattenModules,
): Promise<Flattened> {
  const { accountId } = desk;
  const { clock, clear, isStopping, readLagMaxMs } = modules;
  const remaining = await clear();
  if (remaining.length > 0) return { accountId, kind: "ordersMayRest", lines: remaining };
  const deadlineMs = clock.monotonicMs() + options.deadlineMs;
  const closing = new Closing(desk, options, modules);
  // The last step may have left just before the deadline.
  const endMs = deadlineMs + readLagMaxMs + 2 * cancelTiming.flattenStepMs;
  let left = await closing.left();
  while ((left.isClosable || !left.isSettled) && clock.monotonicMs() < endMs && desk.isHalted() && !isStopping()) {
    if (clock.monotonicMs() < deadlineMs) for (const market of desk.markets.values()) closing.step(market);
    await sleep(clock, cancelTiming.flattenStepMs);
    left = closing.isQuiet() && closing.seemsFlat() ? await closing.left() : left;
  }
  if (left.isClosable || !left.isSettled) left = await closing.left();
  if (left.lines.length === 0) return { accountId, kind: "flat", lines: [] };
  const lifted = desk.isHalted() ? [] : [`account ${accountId}: the halt was lifted meanwhile`];
  return { accountId, kind: "notFlat", lines: [...left.lines, ...lifted] };
}

/** What the exchange shows, a line each, whether more steps may change it, and whether it is of after the last one. */
type Left = { readonly lines: readonly string[]; readonly isClosable: boolean; readonly isSettled: boolean };

class Closing {
  readonly #desk: AccountDesk;
  readonly #options: FlattenOptions;
  readonly #modules: FlattenModules;
  /** Of the newest step of each market: why the guard let it not pass. */
  readonly #denials = new Map<MarketDesk, readonly Denial[]>();
  /** When something of ours was last on its way, monotonic. */
  #busyMs: number;

  constructor(desk: AccountDesk, options: FlattenOptions, modules: FlattenModules) {
    this.#busyMs = modules.clock.monotonicMs();
    this.#desk = desk;
    this.#options = options;
    this.#modules = modules;
  }

  /** Sends one order that reduces, unless one is out already, the position is not known or there is none. */
  step(market: MarketDesk): void {
    const { driver } = this.#modules;
    const view = driver.view(this.#desk.accountId, market.marketId);
    const position = fresh(view.position);
    if (position === undefined || position.inventory === 0n || view.orders.some(({ isForeign }) => !isForeign)) return;
    this.#denials.delete(market);
    const orders = slippages(this.#options.maxSlippageBps).map((bps) => closingOrder(market, position.inventory, bps));
    const verdict = driver.close(orders);
    if (verdict === null) return;
    const [denied] = verdict.denied;
    if (verdict.approved.length === 0) this.#denials.set(market, denied?.denials ?? []);
    else this.isQuiet();
  }

  /** Nothing of ours has been on its way for so long that no read can be from before it ended. To be asked after each step. */
  isQuiet(): boolean {
    const { execution, slots, clock, readLagMaxMs } = this.#modules;
    const { underWay, unknown } = execution.status();
    const nowMs = clock.monotonicMs();
    if (slots.waiting + slots.underWay + underWay + unknown > 0) this.#busyMs = nowMs;
    return nowMs - this.#busyMs >= readLagMaxMs;
  }

  /** As far as we know: every market that we can act on holds nothing. */
  seemsFlat(): boolean {
    const { driver } = this.#modules;
    return [...this.#desk.markets.keys()].every((marketId) => {
      const { position, orders } = driver.view(this.#desk.accountId, marketId);
      return fresh(position)?.inventory === 0n && orders.length === 0;
    });
  }

  /** By the exchange's own word, given twice. */
  async left(): Promise<Left> {
    const { accountId, markets } = this.#desk;
    const { readAccount, readPositions } = this.#modules;
    const isQuiet = this.isQuiet();
    try {
      const [account, listed] = await Promise.all([readAccount(accountId), readPositions(accountId)]);
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
    } catch (error) {
      const why = `account ${accountId}: cannot be read: ${messageOf(error)}`;
      return { lines: [why], isClosable: true, isSettled: false };
    }
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

/** At most one order's worth of the position; what is left takes another step. */
/** The most slippage, then half of it each time, basis points. */
function slippages(mostBps: number): readonly number[] {
  const all: number[] = [];
  for (let bps = mostBps; bps >= 1; bps = Math.floor(bps / 2)) all.push(bps);
  return all;
}

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
