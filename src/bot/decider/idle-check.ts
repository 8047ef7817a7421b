// Which markets need no turn by the timer: the last one had nothing to do, nothing has happened since, and no time has come at which
// a fact or a gate is another. When unsure, run the turn: a turn too many is all that can go wrong.

import type { VenueEvent } from "../../domain/event.ts";
import type { AccountId } from "../../domain/units.ts";
import { fresh, lastKnown, type View } from "../../domain/view.ts";
import { type Clocks, type Instant, instantOf } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import type { Limits } from "../risk/limits/limits.ts";
import { isVolatilityWithin } from "../risk/observed.ts";
import { loopTiming } from "../timing.ts";
import { marketAlone } from "./concerns.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { MarketDesk } from "./desks/market-desk.ts";
import type { Readings } from "./input.ts";
import type { StallDetector } from "./stall-detector.ts";
import type { Turn } from "./turn.ts";
import { viewHoldsForMs } from "./view.ts";

export type IdleCheckModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly readings: () => Readings;
  readonly clock: Clocks;
  readonly stalls: Pick<StallDetector, "longest">;
};

type Resting = {
  /** Monotonic. */
  readonly untilMs: number;
  /** The wall clock minus the monotonic one. */
  readonly wallOffsetMs: number;
  /** Disturbances of every market so far. */
  readonly disturbances: number;
  readonly inputs: readonly unknown[];
};

export class IdleCheck {
  readonly #modules: IdleCheckModules;
  readonly #resting = new WeakMap<MarketDesk, Resting>();
  #disturbances = 0;

  constructor(modules: IdleCheckModules) {
    this.#modules = modules;
  }

  /** Call it with every event that says more than that what was known still holds. */
  disturb(event: VenueEvent): void {
    const marketId = marketAlone(event, this.#modules.desks);
    if (marketId === null) this.#disturbances += 1;
    else
      for (const { markets } of this.#modules.desks.values()) {
        const market = markets.get(marketId);
        if (market !== undefined) this.#resting.delete(market);
      }
  }

  /** The market has turned. */
  turned(desk: AccountDesk, market: MarketDesk, turn: Turn, limits: Limits): void {
    const { view } = turn;
    const facts = viewHoldsForMs(this.#modules.state, view);
    const forMs = isDone(turn) ? Math.min(loopTiming.restMaxMs, facts, openForMs(view, limits)) : 0;
    if (!(forMs > 0)) this.#resting.delete(market);
    else {
      const now = this.#now();
      this.#resting.set(market, {
        untilMs: view.nowMs + forMs,
        wallOffsetMs: now.wallMs - now.monotonicMs,
        disturbances: this.#disturbances,
        inputs: this.#inputsOf(desk, market, now),
      });
    }
  }

  /** True: another turn would find what the last one found. */
  isResting(desk: AccountDesk, market: MarketDesk): boolean {
    const resting = this.#resting.get(market);
    if (resting === undefined || resting.disturbances !== this.#disturbances) return false;
    const now = this.#now();
    const { untilMs, wallOffsetMs, inputs } = resting;
    const isSet = Math.abs(now.wallMs - now.monotonicMs - wallOffsetMs) > loopTiming.clockDriftMs;
    if (isSet || now.monotonicMs >= untilMs) return false;
    const present = this.#inputsOf(desk, market, now);
    return inputs.every((one, at) => one === present[at]);
  }

  /** What a turn stands on that no event tells of. Each value is another one when it changes. */
  #inputsOf(desk: AccountDesk, market: MarketDesk, now: Instant): readonly unknown[] {
    const { state, readings, stalls } = this.#modules;
    const { journal, isReserveUsed, nonceRefusals } = readings();
    const { maxEventLoopLagMs } = market.quoted.limits;
    const lagMs = fresh(stalls.longest(now)) ?? Number.POSITIVE_INFINITY;
    return [
      desk.quoted,
      market.quoted,
      market.strategy.running,
      market.strategy.fault,
      market.observed,
      desk.latches,
      desk.rejections,
      lastKnown(desk.dailyPnl()),
      lastKnown(market.pnl.dailyPnl()),
      state.accounts.get(desk.accountId)?.agentPubkey,
      nonceRefusals.get(desk.accountId),
      journal,
      isReserveUsed,
      lagMs <= maxEventLoopLagMs,
      market.quoting.isAnyStuck(now.monotonicMs),
      isVolatilityWithin(market.estimates.signals, market.quoted.limits),
    ];
  }

  #now(): Instant {
    return instantOf(this.#modules.clock);
  }
}

/** Every gate was open, and what is wanted rests or is on its way. */
const isDone = ({ fault, readings, plan, verdict, state }: Turn): boolean =>
  fault === null &&
  readings.every(({ closed }) => closed === null) &&
  plan.commands.length === 0 &&
  verdict.approved.length + verdict.denied.length === 0 &&
  !state.isAccountPnlUnconfirmed;

/** How long the gates that go by the chain's clock stay open, ms. They are open. */
function openForMs({ oracle, agent, chain }: View, { market }: Limits): number {
  if (oracle.state === "absent" || agent.state === "absent" || chain.state === "absent") return 0;
  const { timeMs, blockMs } = chain.value;
  const { expiresAtSec } = agent.value;
  const oracleMs = oracle.value.validUntilSec * 1000 - timeMs - blockMs - market.oracleGuardMs;
  const agentMs = (expiresAtSec ?? Number.POSITIVE_INFINITY) * 1000 - timeMs - market.agentExpiryMarginMs;
  return Math.min(oracleMs, agentMs);
}
