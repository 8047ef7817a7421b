// The one owner of a transaction whose answer was lost: there is no client order id and no way to look a transaction up, but a nonce is taken
// once. CancelAllOrders with the same nonce (the fence) succeeds only if the unknown never landed, and then it never can. Never by an
// error's text; right whether or not a failed transaction takes its nonce. Where an order that must stay may rest nothing is fenced.

import PQueue from "p-queue";
import type { Command } from "../../domain/command.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import type { ResolutionStepName, StoredIntent } from "../../domain/intent.ts";
import type { AccountId, MarketId, Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { untilAnswered } from "../../kernel/retry.ts";
import { sendTiming } from "../timing.ts";
import type { Journal } from "./journal.ts";
import { type OrderOwnership, reaches } from "./mass-cancel.ts";
import { Pauses } from "./pauses.ts";
import type { Attempt, Sender, SigningKey } from "./send.ts";
import type { ChainTime } from "./send-time.ts";
import { commitsNonce } from "./transactions.ts";

export type ResolverOptions = {
  readonly accountId: AccountId;
  /** Unknowns that are worked on at once. */
  readonly concurrency: number;
  /** A transaction whose timestamp is older than this can no longer land; above the exchange's tolerance (NS-29). */
  readonly landingBoundMs: number;
};

export const defaultResolver: Pick<ResolverOptions, "concurrency"> = { concurrency: 4 };

export type ResolverModules = Pick<OrderOwnership, "foreignMarkets"> & {
  readonly clock: Clock;
  readonly sender: Sender;
  readonly journal: Journal;
  /** The key that fresh transactions are signed with now. */
  readonly signing: () => SigningKey;
  readonly chainTime: () => ChainTime | null;
  /** False: a frame has told what became of the transaction. */
  readonly isOpen: (nonce: Nonce) => boolean;
  /** Called when a market begins to have a lost answer, or has none left; null: of a transaction in all markets. */
  readonly onResolving: (market: MarketId | null, isResolving: boolean) => void;
  /** Takes a transaction of an earlier run that may have landed. */
  readonly recovered: (nonce: Nonce, command: Command) => void;
  /** Told of every step, for metrics; must not throw. */
  readonly onStep: (command: Command, step: ResolutionStepName, outcome: string) => void;
};

type Unknown = {
  readonly nonce: Nonce;
  readonly command: Command;
  readonly timestampSec: number;
  /** Null: the key it was signed with is no longer here, so nothing can be fenced. */
  readonly signing: SigningKey | null;
  /** The unknown and every fence whose answer was lost too. */
  readonly intentIds: Set<number>;
};

/** `outlived`: it can no longer land, and may have. `known`: by a frame. */
type Verdict = "neverLanded" | "landed" | "outlived" | "known";
type ClearAnswer = "executed" | "turnedDown";

export class Resolver {
  readonly #options: ResolverOptions;
  readonly #modules: ResolverModules;
  readonly #work: PQueue;
  readonly #pauses: Pauses;
  readonly #unknowns = new Set<Unknown>();
  #stopped = false;

  constructor(
    options: Pick<ResolverOptions, "accountId" | "landingBoundMs"> & Partial<ResolverOptions>,
    modules: ResolverModules,
  ) {
    this.#options = { ...defaultResolver, ...options };
    this.#modules = modules;
    this.#pauses = new Pauses(modules);
    this.#work = new PQueue({ concurrency: this.#options.concurrency });
  }

  /** Transactions of the market, or with null of all, whose fate is not known. */
  pending(marketId: MarketId | null): number {
    if (marketId === null) return this.#unknowns.size;
    return [...this.#unknowns].filter(({ command }) => command.marketId === marketId).length;
  }

  /** Resolves when nothing is left to resolve. */
  idle(): Promise<void> {
    return this.#work.onIdle();
  }

  /** Takes a lost answer of this run. What only cancels may be sent again blindly (S5). */
  async take(attempt: Attempt): Promise<void> {
    const { command, nonce, timestampSec, signing, intentId } = attempt;
    if (command.kind === "cancelAll") this.#modules.sender.abandon(attempt);
    else if (commitsNonce(command))
      await this.#resolve({ nonce, command, timestampSec, signing, intentIds: new Set([intentId]) });
  }

  /**
   * Takes what an earlier run left open; each is folded as sent and as unknown. `keys` are the keys that may still sign, by
   * fingerprint. `idle` resolves when all of them are resolved.
   */
  recover(keys: ReadonlyMap<string, SigningKey>): readonly StoredIntent[] {
    const { journal, clock, recovered } = this.#modules;
    const unknowns = new Map<string, StoredIntent & { readonly ids: Set<number> }>();
    for (const intent of journal.openIntents()) {
      if (intent.accountId !== this.#options.accountId) continue;
      const { command } = intent;
      if (!commitsNonce(command) || (command.kind === "cancelAll" && command.fences === null)) {
        const atMs = clock.wallMs();
        journal.end({ intentId: intent.id, end: "harmless", txHash: null, remark: "found at start", atMs });
        continue;
      }
      const name = `${intent.signer} ${intent.nonce}`;
      const known = unknowns.get(name);
      const ids = (known?.ids ?? new Set()).add(intent.id);
      unknowns.set(name, { ...(known !== undefined && command.kind === "cancelAll" ? known : intent), ids });
    }
    for (const { nonce, command, timestampSec, signer, ids } of unknowns.values()) {
      const signing = keys.get(signer) ?? null;
      signing?.nonces.adopt(nonce);
      recovered(nonce, command);
      void this.#resolve({ nonce, command, timestampSec, signing, intentIds: ids });
    }
    return [...unknowns.values()];
  }

  /** No further steps are begun; what is open stays open in the journal and is found at the next start. */
  stop(): void {
    this.#stopped = true;
    this.#pauses.end();
  }

  #resolve(unknown: Unknown): Promise<void> {
    const { marketId } = unknown.command;
    this.#unknowns.add(unknown);
    this.#modules.onResolving(marketId, true);
    return this.#work.add(async () => {
      const verdict = await this.#untilAnswered(() => this.#evidenceOn(unknown));
      if (verdict === null) return;
      this.#unknowns.delete(unknown);
      const isLast = [...this.#unknowns].every(({ command }) => command.marketId !== marketId);
      if (isLast) this.#modules.onResolving(marketId, false);
      this.#modules.sender.resolved(unknown, unknown.intentIds, verdict);
    });
  }

  async #evidenceOn(unknown: Unknown): Promise<Verdict | null> {
    const moot = this.#moot(unknown);
    if (moot !== null) return moot;
    return this.#fence(unknown);
  }

  /**
   * One round. Fence taken: the unknown never landed. Fence not taken, a fresh CancelAllOrders taken, and the fence not taken
   * again: signer, clock and chain id are good, so it is the nonce that is not free, and the market is clear. Anything else proves nothing.
   * Where an answer is lost its step is taken again, and not the whole round.
   */
  async #fence(unknown: Unknown): Promise<Verdict | null> {
    const { signing } = unknown;
    if (signing === null) return null;
    const first = await this.#answerTo(unknown, signing, "fence");
    if (first === "executed") return "neverLanded";
    if (first !== "turnedDown") return null;
    const fresh = await this.#answerTo(unknown, this.#modules.signing(), "freshCancel");
    if (fresh !== "executed") return null;
    const second = await this.#answerTo(unknown, signing, "fence", sendTiming.proofMs);
    if (second === "executed") return "neverLanded";
    return second === "turnedDown" ? "landed" : null;
  }

  /** Sends until the exchange gives a clear answer; null: the answer is no longer needed, or it took longer than `mostMs`. */
  #answerTo(
    unknown: Unknown,
    signing: SigningKey,
    step: "fence" | "freshCancel",
    mostMs = Number.POSITIVE_INFINITY,
  ): Promise<ClearAnswer | null> {
    const { clock } = this.#modules;
    const untilMs = clock.monotonicMs() + mostMs;
    const isOver = (): boolean => this.#stopped || this.#moot(unknown) !== null || clock.monotonicMs() > untilMs;
    return this.#untilAnswered(() => this.#send(unknown, signing, step), isOver);
  }

  #untilAnswered<T>(ask: () => Promise<T | null>, isOver = (): boolean => this.#stopped): Promise<T | null> {
    return untilAnswered(ask, sendTiming.resolveBackOff, { wait: (ms) => this.#pauses.wait(ms), isOver });
  }

  async #send(unknown: Unknown, signing: SigningKey, step: "fence" | "freshCancel"): Promise<ClearAnswer | null> {
    const { sender, foreignMarkets } = this.#modules;
    const { marketId } = unknown.command;
    if (reaches(marketId, foreignMarkets())) return null;
    const fences = step === "fence" ? unknown.nonce : null;
    const command: Command = { kind: "cancelAll", accountId: this.#options.accountId, marketId, fences };
    const attempt = sender.prepare(command, signing, fences);
    if ("code" in attempt) return null;
    const { attempt: last, outcome } = await sender.release(attempt);
    this.#note(unknown, step, outcome.kind);
    if (outcome.kind === "unknown") {
      if (step === "fence") unknown.intentIds.add(last.intentId);
      else sender.abandon(last);
    }
    return meaningOf(outcome);
  }

  /** What makes every further answer needless; null: nothing does. It is outlived once both clocks say so: either may be the one that is wrong. */
  #moot({ nonce, timestampSec }: Unknown): "known" | "outlived" | null {
    const { isOpen, chainTime, clock } = this.#modules;
    if (!isOpen(nonce)) return "known";
    const nowMs = Math.min(chainTime()?.timeMs ?? Number.NEGATIVE_INFINITY, clock.wallMs());
    const isOutlived = nowMs - timestampSec * 1000 > this.#options.landingBoundMs;
    return isOutlived ? "outlived" : null;
  }

  #note(unknown: Unknown, step: ResolutionStepName, outcome: string): void {
    if (this.#stopped) return;
    const { journal, clock, onStep } = this.#modules;
    const [intentId = 0] = unknown.intentIds;
    journal.resolution({ intentId, step, outcome, atMs: clock.wallMs() });
    onStep(unknown.command, step, outcome);
  }
}

/** Refused and rejected alike mean only that it was not done; a rate limit is inconclusive. */
function meaningOf({ kind }: SubmitOutcome): ClearAnswer | null {
  if (kind === "executed") return "executed";
  return kind === "refused" || kind === "rejected" ? "turnedDown" : null;
}
