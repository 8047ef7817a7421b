// Reports faults and contains them: a strategy's fault pulls its quotes, a turn's fault halts its market. A lasting fault recurs ten times
// a second, so the log has each kind once a minute.

import type { Clocks } from "../../kernel/clock.ts";
import { messageOf, sourcePlace } from "../../kernel/errors.ts";
import type { QuoteFault } from "../strategy/checked-quotes.ts";
import type { RunningStrategy } from "../strategy/loader.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { MarketDesk } from "./desks/market-desk.ts";
import type { Say } from "./notice.ts";
import type { Output } from "./output.ts";

type FaultModules = {
  readonly log: Say;
  readonly clock: Clocks;
  readonly put: (output: Output) => void;
};

export type FaultHandlers = {
  readonly onStrategyFault: (market: MarketDesk, fault: QuoteFault) => void;
  /** Call it after each turn whose strategy quotes more than may rest. */
  readonly onQuotesLeftOut: (market: MarketDesk, leftOut: number) => void;
  /** A turn threw, which is a fault of ours: its decision is unknown. */
  readonly onTurnFault: (desk: AccountDesk, market: MarketDesk, error: unknown) => void;
};

export function faultHandlers({ log, clock, put }: FaultModules): FaultHandlers {
  /** Strategies whose left-out quotes have been reported. */
  const said = new WeakSet<RunningStrategy>();
  return {
    onQuotesLeftOut({ accountId, marketId, quoted, strategy: { running } }, leftOut) {
      if (said.has(running)) return;
      said.add(running);
      const { maxOpenOrders } = quoted.limits;
      const facts = { event: "strategy.leftOut", account: `${accountId}`, market: marketId, leftOut, maxOpenOrders };
      log.warn(
        facts,
        `market ${marketId}: strategy ${quoted.strategy.name} quotes ${leftOut} orders more than limits.maxOpenOrders, ${maxOpenOrders}; only those nearest the touch are placed. This is logged once`,
      );
    },
    onStrategyFault(market, err) {
      const { accountId, marketId, quoted } = market;
      // A returned value has no place in the source: name the place where `quote` begins.
      const at = sourcePlace(err.cause) ?? quoted.strategy.quoteAt;
      log.error(
        { event: "strategy.fault", account: `${accountId}`, market: marketId, kind: err.code, at, err },
        `market ${marketId}: strategy ${quoted.strategy.name} ${err.message}${at === null ? "" : ` at ${at}`}; it has no quotes until it works again`,
      );
      put({ kind: "strategyFault", accountId, marketId, fault: err });
    },
    onTurnFault(desk, market, err) {
      const { accountId, marketId } = market;
      const reason = `a turn failed: ${messageOf(err)}`;
      const stack = err instanceof Error ? err.stack : undefined;
      const facts = { event: "turn.fault", account: `${accountId}`, market: marketId, err, stack };
      log.error(facts, `market ${marketId}: ${reason}; please report this with the stack`);
      desk.trip({ kind: "fault", accountId, marketId, holds: "halted", reason, numbers: {} }, clock.wallMs());
    },
  };
}
