// The premium book of one market: a target position that quotes lean to, the contracts it holds, and what it earned apart from spread. Its
// target is 0 while a needed fact is old or missing, or after its loss limit: quotes then work the rest off.

import { contractsOf, sizeFromContracts, usdcOf, usdOf } from "../../../domain/rounding.ts";
import { type Price, type Size, size, type Usdc, usdc } from "../../../domain/units.ts";
import { fresh, type View } from "../../../domain/view.ts";
import {
  fundShare,
  heldFor,
  holdAt,
  noPremiumShare,
  type PremiumShare,
  premiumPnl,
} from "../../accounting/premium-share.ts";
import {
  lastPremium,
  noPremiumRecord,
  observeMinute,
  type PremiumEvidence,
  type PremiumRecord,
  type PremiumSettings,
  premiumDecay,
  premiumTarget,
} from "../../strategy/premium.ts";
import { worthIn } from "../../strategy/worth.ts";
import { deskTiming } from "../../timing.ts";

/** State that survives the process. */
export type PremiumState = {
  readonly target: Size;
  readonly share: PremiumShare;
  /** Its PnL when it began or was last resumed: losses count from there. Null: from the next turn. */
  readonly from: Usdc | null;
  /** Why it stopped, a sentence; null: it did not. */
  readonly stopped: string | null;
  readonly record: PremiumRecord;
};

const noState: PremiumState = {
  target: size(0n),
  share: noPremiumShare,
  from: null,
  stopped: null,
  record: noPremiumRecord,
};

/** Returns the same book after an operator has accepted its loss. */
export const resumePremium = (state: PremiumState): PremiumState =>
  state.stopped === null ? state : { ...state, stopped: null, from: null };

export type PremiumFacts = {
  /** The market may add: it is not reducing, halted or draining, and its last print is trusted. */
  readonly mayHold: boolean;
  /** How much of `view.signals.kappaPerHour` is observed. */
  readonly kappaShare: number;
};

export class PremiumBook {
  /** Null: it left the configuration; its contracts go back to the spread book, and its earnings stay. */
  settings: PremiumSettings | null;
  #state: PremiumState;
  #mid: Price | null = null;
  #minuteMs: number | null = null;
  /** Why the target is 0, a clause; null: it is not. */
  #why: string | null = "no minute has passed yet";

  constructor(settings: PremiumSettings | null, before: PremiumState | null) {
    this.settings = settings;
    this.#state = before ?? noState;
  }

  /** The same object until something changes. */
  get state(): PremiumState {
    return this.#state;
  }

  /** Contracts that the skew of quotes centers on, signed. */
  get targetContracts(): number {
    return contractsOf(this.#state.target);
  }

  get heldContracts(): number {
    return contractsOf(this.#state.share.holding.inventory);
  }

  get why(): string | null {
    return this.#state.stopped ?? this.#why;
  }

  /** USDC, its contracts at the mid; 0 before the first. */
  get pnl(): Usdc {
    return this.#mid === null ? usdc(0n) : premiumPnl(this.#state.share, this.#mid);
  }

  /** Loss that it may still make, USDC; null: unlimited. */
  get lossLeft(): Usdc | null {
    const { from } = this.#state;
    if (this.settings === null) return null;
    return usdc(this.settings.maxLoss + this.pnl - (from ?? this.pnl));
  }

  /** When the next minute's step is due, monotonic ms. */
  get dueMs(): number {
    return this.#minuteMs === null ? Number.NEGATIVE_INFINITY : this.#minuteMs + deskTiming.premiumStepMs;
  }

  /** Call it as a turn begins; `mid`: the price that positions are marked at. Returns true when it has just stopped. */
  observe(view: View, mid: Price, facts: PremiumFacts): boolean {
    this.#mid = mid;
    this.#step(view, facts);
    this.#hold(view, mid);
    const from = this.#state.from ?? this.pnl;
    if (from !== this.#state.from) this.#state = { ...this.#state, from };
    const left = this.lossLeft;
    if (left === null || left > 0n || this.#state.stopped !== null) return false;
    const lost = usdcOf(usdc(from - this.pnl));
    this.#state = {
      ...this.#state,
      target: size(0n),
      stopped: `the premium book lost ${lost} USDC and reached its maxLoss`,
    };
    this.#hold(view, mid);
    return true;
  }

  /** Books funding of the whole position. */
  funded(amount: Usdc, inventory: Size): void {
    const share = fundShare(this.#state.share, amount, inventory);
    if (share !== this.#state.share) this.#state = { ...this.#state, share };
  }

  /** An operator has accepted its loss. */
  resume(): void {
    this.#state = resumePremium(this.#state);
  }

  #hold({ position }: View, mid: Price): void {
    const held = fresh(position);
    if (held === undefined) return;
    const share = holdAt(this.#state.share, heldFor(this.#state.target, held.inventory), mid);
    if (share !== this.#state.share) this.#state = { ...this.#state, share };
  }

  /** Once a minute: gathers the minute's evidence and moves the target. */
  #step(view: View, facts: PremiumFacts): void {
    const minuteMs = deskTiming.premiumStepMs;
    const sinceMs = view.nowMs - (this.#minuteMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < minuteMs) return;
    // Turns are seconds apart, so the next minute counts from where this one should have ended; after a gap it begins now.
    const isNext = sinceMs < 2 * minuteMs;
    this.#minuteMs = isNext ? (this.#minuteMs ?? view.nowMs) + minuteMs : view.nowMs;
    const midUsd = view.signals.heldMidUsd;
    const worth = worthIn(view, view.signals.kappaPerHour);
    const isKnown = midUsd !== null && worth !== undefined && areFresh(view);
    const gapless = isNext ? this.#state.record : observeMinute(this.#state.record, null);
    const record = observeMinute(gapless, isKnown ? { midUsd, premium: (midUsd - worth.usd) / midUsd } : null);
    const found = isKnown
      ? this.#evidence(view, record, worth.nextShare, facts)
      : "a fact that it needs is old or missing";
    this.#state = { ...this.#state, record, target: this.#next(found) };
  }

  /** Moves by up to a minute's share of its speed toward what the evidence supports; straight to 0 where there is none. */
  #next(found: PremiumEvidence | string): Size {
    const { settings } = this;
    const isStopped = settings === null || this.#state.stopped !== null;
    this.#why = settings === null ? "it left the configuration" : typeof found === "string" ? found : null;
    if (isStopped || typeof found === "string") return size(0n);
    const maxContracts = contractsOf(settings.maxContracts);
    const wanted = premiumTarget(
      { capitalUsd: usdcOf(settings.capital), maxContracts, kellyShare: settings.kellyShare },
      found,
    );
    const perHour = settings.contractsPerHour === undefined ? maxContracts / 4 : contractsOf(settings.contractsPerHour);
    const step = perHour / 60;
    const now = this.targetContracts;
    const next = now + Math.min(step, Math.max(-step, wanted - now));
    if (wanted === 0) this.#why = "the premium is within its error, or it has not been seen to decay";
    return next < 0 ? size(-sizeFromContracts(-next)) : sizeFromContracts(next);
  }

  /** Returns a text where there is none: why. */
  #evidence(
    view: View,
    record: PremiumRecord,
    nextShare: number,
    { mayHold, kappaShare }: PremiumFacts,
  ): PremiumEvidence | string {
    const { signals } = view;
    const market = fresh(view.market);
    const oracle = fresh(view.oracle);
    const { slowVolatilityBps, nextPrint } = signals;
    const premium = lastPremium(record);
    const decay = premiumDecay(record);
    if (!mayHold) return "the market may not add to its position";
    if (market === undefined || oracle === undefined || nextPrint === null) return "the next print is not known";
    if (signals.nowcastUsd === null) return "too few prints were seen to expect the next one";
    if (slowVolatilityBps === null) return "the usual volatility is not known yet";
    if (premium === undefined || decay === null) return "less than a day of premiums was seen";
    return {
      priceUsd: usdOf(oracle.price),
      premium,
      error: (signals.nowcastErrorBps / 10_000) * nextShare,
      decay,
      kappaPerHour: signals.kappaPerHour * kappaShare,
      volatility: slowVolatilityBps / 10_000,
      printMove: signals.printMoveBps / 10_000,
      printEveryMs: nextPrint.everyMs,
      initialMarginRatio: market.initialMarginRatioBps / 10_000,
    };
  }
}

const areFresh = ({ market, oracle, book, funding, chain, position, reconciled, resync }: View): boolean =>
  resync === null &&
  [market, oracle, book, funding, chain, position, reconciled].every(({ state }) => state === "fresh");
