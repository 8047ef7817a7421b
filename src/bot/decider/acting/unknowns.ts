// The only owner of transactions whose answer was lost: there is no client order id and no transaction lookup, but each nonce is used once.
// CancelAllOrders with the same nonce (the fence) succeeds only if the unknown never landed, and then it never can. An error's text never
// decides, and this works whether or not a failed transaction uses up its nonce. Where an order that must stay may rest, no fence is sent.

import { type CancelAllCommand, type Command, commitsNonce } from "../../../domain/command.ts";
import type { ExecutionEvent, SubmitOutcome } from "../../../domain/event.ts";
import type { IntentEnd, ResolutionStepName } from "../../../domain/intent.ts";
import type { Recovered, SendBy } from "../../../domain/submit.ts";
import type { AccountId, MarketId, Nonce } from "../../../domain/units.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import { backOffMs } from "../../../kernel/retry.ts";
import { sendTiming } from "../../timing.ts";
import type { Output } from "../output.ts";
import type { Slots } from "../sends/slots.ts";
import type { SubmitEnd, Work } from "../work.ts";
import { type OrderOwnership, reaches } from "./mass-cancel.ts";

export type UnknownsOptions = {
  readonly accountId: AccountId;
  /** A transaction with an older timestamp can no longer land; above the exchange's tolerance (NS-29). */
  readonly landingBoundMs: number;
};

/** Unknowns that are resolved concurrently. */
const CONCURRENCY = 4;

export type UnknownsModules = Pick<OrderOwnership, "foreignMarkets"> & {
  readonly clock: Clocks;
  readonly work: Pick<Work, "after" | "cancel">;
  readonly put: (output: Output) => void;
  readonly slots: Pick<Slots, "resolving" | "settled">;
  /** Unix ms; null: the chain's time is not known yet. */
  readonly chainTimeMs: () => number | null;
  /** False: a frame has shown the transaction's fate. */
  readonly isOpen: (nonce: Nonce) => boolean;
  /** Folds the verdict. */
  readonly fold: (event: Extract<ExecutionEvent, { readonly kind: "resolved" }>) => void;
  /** Called with every step. */
  readonly onStep: (command: Command, step: ResolutionStepName, outcome: SubmitOutcome["kind"]) => void;
};

/** A transaction that may have landed. `submit` null: of an earlier run. */
export type Lost = Recovered & { readonly submit: number | null };

type Unknown = Omit<Lost, "intentIds"> & { readonly intentIds: Set<number>; rounds: number };
/** `outlived`: it can no longer land, but may have. `known`: a frame showed it. */
type Verdict = "neverLanded" | "landed" | "outlived" | "known";
type ClearAnswer = "executed" | "turnedDown";

export class Unknowns {
  readonly #options: UnknownsOptions;
  readonly #modules: UnknownsModules;
  readonly #unknowns = new Set<Unknown>();
  readonly #waiting: Unknown[] = [];
  #working = 0;

  constructor(options: UnknownsOptions, modules: UnknownsModules) {
    this.#options = options;
    this.#modules = modules;
  }

  /** Counts transactions of the market, or with null of all, whose fate is unknown. */
  pending(marketId: MarketId | null): number {
    if (marketId === null) return this.#unknowns.size;
    return [...this.#unknowns].filter(({ command }) => command.marketId === marketId).length;
  }

  /** Takes a lost answer. Commands that only cancel may be resent blindly (S5). */
  take(lost: Lost): void {
    if (lost.command.kind === "cancelAll" && lost.command.fences === null) {
      this.#harmless(lost);
      return;
    }
    if (!commitsNonce(lost.command)) {
      this.#harmless(lost);
      return;
    }
    const unknown = { ...lost, intentIds: new Set(lost.intentIds), rounds: 0 };
    this.#unknowns.add(unknown);
    this.#modules.slots.resolving(lost.command.marketId, true);
    this.#waiting.push(unknown);
    this.#workOn();
  }

  #workOn(): void {
    while (this.#working < CONCURRENCY) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#working += 1;
      this.#round(next);
    }
  }

  /**
   * One round. Fence executed: the unknown never landed. Fence not executed, then a fresh CancelAllOrders executed, then the fence again
   * not: signer, clock and chain id are good, so the nonce is used, and the market is clear. Anything else proves nothing. A step whose
   * answer is lost is repeated, not the whole round.
   */
  #round(unknown: Unknown): void {
    const moot = this.#moot(unknown);
    if (moot !== null) {
      this.#settle(unknown, moot);
      return;
    }
    if (unknown.signer === null) {
      this.#pause(unknown);
      return;
    }
    this.#ask(unknown, "fence", null, (first) => {
      if (first === "executed") return this.#settle(unknown, "neverLanded");
      if (first !== "turnedDown") return this.#pause(unknown);
      this.#ask(unknown, "freshCancel", null, (fresh) => {
        if (fresh !== "executed") return this.#pause(unknown);
        this.#ask(unknown, "fence", sendTiming.proofMs, (second) => {
          if (second === "executed") return this.#settle(unknown, "neverLanded");
          if (second === "turnedDown") return this.#settle(unknown, "landed");
          this.#pause(unknown);
        });
      });
    });
  }

  #pause(unknown: Unknown): void {
    unknown.rounds += 1;
    this.#modules.work.after(backOffMs(sendTiming.resolveBackOff, unknown.rounds), () => this.#round(unknown));
  }

  /** Sends until the exchange answers clearly; null: no answer is needed any longer, or it took longer than `mostMs` (null: no limit). */
  #ask(
    unknown: Unknown,
    step: ResolutionStepName,
    mostMs: number | null,
    then: (answer: ClearAnswer | null) => void,
  ): void {
    const { clock } = this.#modules;
    const untilMs = mostMs === null ? Number.POSITIVE_INFINITY : clock.monotonicMs() + mostMs;
    let failures = 0;
    const sendOnce = (): void => {
      if (this.#moot(unknown) !== null || clock.monotonicMs() > untilMs) {
        then(null);
        return;
      }
      this.#send(unknown, step, (answer) => {
        if (answer !== null) return then(answer);
        failures += 1;
        this.#modules.work.after(backOffMs(sendTiming.resolveBackOff, failures), sendOnce);
      });
    };
    sendOnce();
  }

  #send(unknown: Unknown, step: ResolutionStepName, then: (answer: ClearAnswer | null) => void): void {
    const { work, foreignMarkets } = this.#modules;
    const { marketId } = unknown.command;
    if (reaches(marketId, foreignMarkets())) {
      then(null);
      return;
    }
    const isFence = step === "fence";
    const fences = isFence ? unknown.nonce : null;
    const command: CancelAllCommand = { kind: "cancelAll", accountId: this.#options.accountId, marketId, fences };
    const by: SendBy | null = isFence ? { signer: unknown.signer, nonce: unknown.nonce, isOtherTime: false } : null;
    work.cancel(command, by, ({ outcome, submitted }: SubmitEnd) => {
      if (submitted === null) return then(null);
      this.#note(unknown, step, outcome.kind);
      if (outcome.kind === "unknown" && isFence) unknown.intentIds.add(submitted.intentId);
      then(meaningOf(outcome));
    });
  }

  #settle(unknown: Unknown, verdict: Verdict): void {
    const { slots, clock, fold } = this.#modules;
    const { nonce, command, submit } = unknown;
    const { marketId } = command;
    this.#unknowns.delete(unknown);
    this.#working -= 1;
    if ([...this.#unknowns].every((other) => other.command.marketId !== marketId)) slots.resolving(marketId, false);
    if (submit !== null) slots.settled(submit);
    this.#end(unknown, verdict === "neverLanded" ? verdict : "landed");
    if (verdict !== "known") fold({ kind: "resolved", nonce, command, verdict, receivedMs: clock.monotonicMs() });
    this.#workOn();
  }

  /** Nothing depends on whether it lands. */
  #harmless(lost: Lost): void {
    if (lost.submit !== null) this.#modules.slots.settled(lost.submit);
    this.#end(lost, "harmless");
  }

  #end(
    { nonce, signer, intentIds }: Pick<Unknown, "nonce" | "signer"> & { readonly intentIds: Iterable<number> },
    end: IntentEnd,
  ): void {
    const { accountId } = this.#options;
    this.#modules.put({ kind: "settled", accountId, signer, nonce, intentIds: [...intentIds], end });
  }

  /** Returns why no further answer is needed, or null. Outlived takes both clocks, since either may be wrong. */
  #moot({ nonce, timestampSec }: Unknown): "known" | "outlived" | null {
    const { isOpen, chainTimeMs, clock } = this.#modules;
    if (!isOpen(nonce)) return "known";
    const nowMs = Math.min(chainTimeMs() ?? Number.NEGATIVE_INFINITY, clock.wallMs());
    const isOutlived = nowMs - timestampSec * 1000 > this.#options.landingBoundMs;
    return isOutlived ? "outlived" : null;
  }

  #note({ intentIds, command }: Unknown, name: ResolutionStepName, outcome: SubmitOutcome["kind"]): void {
    const { put, clock, onStep } = this.#modules;
    const [intentId = 0] = intentIds;
    put({
      kind: "record",
      record: { kind: "resolution", step: { intentId, step: name, outcome, atMs: clock.wallMs() } },
    });
    onStep(command, name, outcome);
  }
}

/** Refused and rejected both mean only that it was not done; a rate limit is inconclusive. */
function meaningOf({ kind }: SubmitOutcome): ClearAnswer | null {
  if (kind === "executed") return "executed";
  return kind === "refused" || kind === "rejected" ? "turnedDown" : null;
}
