// Resolves transactions whose answer was lost, by their nonce: there is no client order id and no way to look a transaction
// up, but a nonce is taken once. CancelAllOrders with the same nonce (the fence) succeeds only if the unknown never landed, and then it
// never can. Never by an error's text; right whether or not a failed transaction takes its nonce.

import PQueue from "p-queue";
import type { Command } from "../../domain/command.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import { type ResolutionStepName, type StoredIntent, UNIDENTIFIED_MS } from "../../domain/intent.ts";
import type { AccountId, MarketId, Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type BackOffOptions, untilAnswered } from "../../kernel/retry.ts";
import { type FenceMarketModules, fenceMarket } from "./fence-market.ts";
import type { Journal } from "./journal.ts";
import type { ChainTime } from "./nonces.ts";
import { Pauses } from "./pauses.ts";
import { type Attempt, isUnnamed, type Sender, type SigningKey } from "./send.ts";
import { commitsNonce } from "./transactions.ts";

export type ResolverOptions = {
  readonly accountId: AccountId;
  /** Unknowns that are worked on at once. */
  readonly concurrency: number;
  /** A transaction whose timestamp is older than this by chain time can no longer land; above the exchange's tolerance (NS-29). */
  readonly landingBoundMs: number;
  /** The same bytes are sent again only for so long: their timestamp must stay near chain time. */
  readonly resendMsMax: number;
  readonly resendsMax: number;
};

export const defaultResolver: Omit<ResolverOptions, "accountId" | "landingBoundMs"> = {
  concurrency: 4,
  resendMsMax: 5000,
  resendsMax: 2,
};

export type ResolverModules = FenceMarketModules & {
  readonly clock: Clock;
  readonly sender: Sender;
  readonly journal: Journal;
  /** The key that fresh transactions are signed with now. */
  readonly signing: () => SigningKey;
  readonly chainTime: () => ChainTime | null;
  /**
   * Resolves when orders and positions of the account were read, and folded, from a state at least so many blocks after the call.
   * Rejects when that failed; it is asked again.
   */
  readonly readAfterBlocks: (blocks: number) => Promise<void>;
  /** True while the order of this place may be live and nobody has named its id. */
  readonly isUnidentified: (nonce: Nonce) => boolean;
  /** Somebody else is known to trade the account: an order that looks like ours may be theirs. */
  readonly isShared: () => boolean;
  /** Told of every step, for metrics; must not throw. */
  readonly onStep: (command: Command, step: ResolutionStepName, outcome: string) => void;
};

type Unknown = {
  readonly nonce: Nonce;
  readonly command: Command;
  readonly timestampSec: number;
  /** Null: the key it was signed with is no longer here, so nothing can be fenced. */
  readonly signing: SigningKey | null;
  /** The bytes, where they are still at hand. */
  readonly attempt: Attempt | null;
  /** The unknown and every fence whose answer was lost too. */
  readonly intentIds: Set<number>;
  /** The exchange named its order: it landed. */
  named: boolean;
};

type Verdict = "neverLanded" | "landed";
type ClearAnswer = "executed" | "turnedDown";

/** Blocks after which a transaction that took its nonce shows in every read. */
const BLOCKS = 2;
const FIRST_WAIT_MS = 100;
/** Each wait for an answer is half as long again: of a door that lets seven in ten through, eight knocks fit in four seconds. */
const WAITS: BackOffOptions = { firstMs: FIRST_WAIT_MS, maxMs: 5000, growth: 1.5 };
/** Long enough for a read of the account that lags by seconds. */
const UNNAMED_MS = 5000;
/** For so long a fresh CancelAllOrders that was taken proves that signer and clock are good. */
const PROOF_MS = 5000;

export class Resolver {
  readonly #options: ResolverOptions;
  readonly #modules: ResolverModules;
  readonly #work: PQueue;
  readonly #pauses: Pauses;
  readonly #unknowns = new Set<Unknown>();
  /** Resolved because their orders were named, by inference: the name may turn out to be another's. */
  readonly #inferred = new Set<Unknown>();
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

  isResolving(market: MarketId): boolean {
    for (const { command } of this.#unknowns) {
      if (command.kind !== "cancelAll" && command.marketId === market) return true;
    }
    return false;
  }

  /** Resolves when nothing is left to resolve. */
  idle(): Promise<void> {
    return this.#work.onIdle();
  }

  /** Takes a lost answer of this life. A lost CancelOrder needs no verdict: it may be sent again blindly (S5). */
  async take(attempt: Attempt): Promise<void> {
    if (commitsNonce(attempt.command)) await this.#resolve(unknownOf(attempt));
  }

  /**
   * Takes a place that executed and whose answer names no order. Frames and reads usually do so soon; what they do not name is fenced like
   * a lost answer.
   */
  async takeUnnamed(attempt: Attempt): Promise<void> {
    const { clock, isUnidentified } = this.#modules;
    const untilMs = clock.monotonicMs() + UNNAMED_MS;
    while (isUnidentified(attempt.nonce) && !this.#stopped) {
      if (clock.monotonicMs() >= untilMs) return this.take(attempt);
      await this.#pauses.wait(FIRST_WAIT_MS);
    }
    if (!this.#stopped) this.#conclude({ ...unknownOf(attempt), named: true }, "landed");
  }

  /** Takes up again what lost the name that was inferred for it, or may yet lose it. Call it a few times a second. */
  look(): void {
    for (const unknown of this.#inferred) {
      const isAgain = this.#modules.isShared() || this.#modules.isUnidentified(unknown.nonce);
      if (isAgain || this.#isOutlived(unknown)) this.#inferred.delete(unknown);
      if (isAgain) void this.#resolve({ ...unknown, named: false });
    }
  }

  /**
   * Takes what an earlier life left open; each is folded as sent and as unknown. `keys` are the keys that may still sign, by
   * fingerprint. `idle` resolves when all of them are resolved. Places that landed of late and have no id are looked for further.
   */
  recover(keys: ReadonlyMap<string, SigningKey>): readonly StoredIntent[] {
    const { journal, clock, sender } = this.#modules;
    for (const intent of journal.unidentifiedIntents(this.#options.accountId, clock.wallMs() - UNIDENTIFIED_MS)) {
      if (intent.command.kind === "place") sender.recalled(intent);
    }
    const unknowns = new Map<string, StoredIntent & { readonly ids: Set<number> }>();
    for (const intent of journal.openIntents()) {
      if (intent.accountId !== this.#options.accountId) continue;
      if (!commitsNonce(intent.command)) {
        const atMs = clock.wallMs();
        journal.end({ intentId: intent.id, end: "harmless", txHash: null, remark: "found at start", atMs });
        continue;
      }
      const name = `${intent.signer} ${intent.nonce}`;
      const known = unknowns.get(name);
      const isFence = intent.command.kind === "cancelAll" && intent.command.fences !== null;
      const ids = (known?.ids ?? new Set()).add(intent.id);
      unknowns.set(name, { ...(known !== undefined && isFence ? known : intent), ids });
    }
    for (const { nonce, command, timestampSec, signer, ids } of unknowns.values()) {
      const signing = keys.get(signer) ?? null;
      signing?.nonces.adopt(nonce);
      sender.recovered(nonce, command);
      void this.#resolve({ nonce, command, timestampSec, signing, attempt: null, intentIds: ids, named: false });
    }
    return [...unknowns.values()];
  }

  /** The exchange named the order of this nonce: the transaction landed, whatever became of its answer. */
  named(nonce: Nonce): void {
    for (const unknown of this.#unknowns) if (unknown.nonce === nonce) unknown.named = true;
  }

  /** No further steps are begun; what is open stays open in the journal and is found at the next start. */
  stop(): void {
    this.#stopped = true;
    this.#pauses.end();
  }

  #resolve(unknown: Unknown): Promise<void> {
    this.#unknowns.add(unknown);
    return this.#work.add(async () => {
      const verdict = await this.#verdictOn(unknown);
      if (verdict !== null) this.#conclude(unknown, verdict);
    });
  }

  #conclude(unknown: Unknown, verdict: Verdict): void {
    this.#unknowns.delete(unknown);
    if (unknown.named && verdict === "landed") this.#inferred.add(unknown);
    this.#modules.sender.resolved(unknown, unknown.intentIds, verdict);
  }

  /** Null: stopped before there was a verdict, or resolved by an answer; one that names no order is taken up apart. */
  async #verdictOn(unknown: Unknown): Promise<Verdict | null> {
    const landed = await this.#landedOnResend(unknown);
    if (landed !== null) {
      this.#unknowns.delete(unknown);
      this.#takeUpUnnamed(unknown, landed);
      return null;
    }
    const verdict = await this.#untilAnswered(() => this.#evidenceOn(unknown));
    return verdict === "landed" && !(await this.#read(unknown)) ? null : verdict;
  }

  #takeUpUnnamed({ attempt, nonce }: Unknown, outcome: SubmitOutcome): void {
    if (attempt === null) return;
    if (isUnnamed(attempt, outcome) || this.#modules.isUnidentified(nonce)) void this.takeUnnamed(attempt);
  }

  async #evidenceOn(unknown: Unknown): Promise<Verdict | null> {
    if (unknown.named) return "landed";
    if (!this.#isOutlived(unknown)) return this.#fence(unknown);
    this.#note(unknown, "outlived", "true");
    return "landed";
  }

  /**
   * Reductions are still wanted: the same bytes again. Success is theirs alone, since the nonce is taken once; anything else proves
   * nothing, not even that the first sending failed. Null: it is not known to have landed.
   */
  async #landedOnResend(unknown: Unknown): Promise<SubmitOutcome | null> {
    const { attempt, command } = unknown;
    if (attempt === null || command.kind !== "place" || !command.reduceOnly) return null;
    const { sender, clock } = this.#modules;
    const startedMs = clock.monotonicMs();
    for (let resend = 0; resend < this.#options.resendsMax && !this.#stopped; resend += 1) {
      await this.#pauses.wait(FIRST_WAIT_MS);
      if (clock.monotonicMs() - startedMs > this.#options.resendMsMax || sender.mustWait) return null;
      const outcome = await sender.resend(attempt);
      this.#note(unknown, "resend", outcome.kind);
      if (outcome.kind === "executed") return outcome;
      if (outcome.kind !== "unknown" && outcome.kind !== "notSent") return null;
    }
    return null;
  }

  /**
   * One round. Fence taken: the unknown never landed. Fence not taken, a fresh CancelAllOrders taken, and the fence not taken
   * again: signer, clock and chain id are good, so it is the nonce that is not free. Anything else proves nothing. Where an answer
   * is lost its step is taken again, and not the whole round.
   */
  async #fence(unknown: Unknown): Promise<Verdict | null> {
    const { signing } = unknown;
    if (signing === null) return null;
    const first = await this.#answerTo(unknown, signing, "fence");
    if (first === "executed") return "neverLanded";
    if (first !== "turnedDown") return null;
    const fresh = await this.#answerTo(unknown, this.#modules.signing(), "freshCancel");
    if (fresh !== "executed") return null;
    const second = await this.#answerTo(unknown, signing, "fence", PROOF_MS);
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
    const isOver = (): boolean => this.#isMoot(unknown) || clock.monotonicMs() > untilMs;
    return this.#untilAnswered(() => this.#send(unknown, signing, step), isOver);
  }

  #untilAnswered<T>(ask: () => Promise<T | null>, isOver = (): boolean => this.#stopped): Promise<T | null> {
    return untilAnswered(ask, WAITS, { wait: (ms) => this.#pauses.wait(ms), isOver });
  }

  async #send(unknown: Unknown, signing: SigningKey, step: "fence" | "freshCancel"): Promise<ClearAnswer | null> {
    const { sender } = this.#modules;
    const marketId = await fenceMarket(unknown.command.marketId, this.#modules);
    if (marketId === undefined || this.#isMoot(unknown)) return null;
    const fences = step === "fence" ? unknown.nonce : null;
    const command: Command = { kind: "cancelAll", accountId: this.#options.accountId, marketId, fences };
    const attempt = sender.prepare(command, signing, fences);
    if ("code" in attempt) return null;
    const [answer] = sender.release([attempt]);
    const outcome = (await answer) ?? { kind: "unknown", why: "not sent" };
    this.#note(unknown, step, outcome.kind);
    if (outcome.kind === "unknown") {
      if (step === "fence") unknown.intentIds.add(attempt.intentId);
      else sender.abandon(attempt);
    }
    return meaningOf(outcome);
  }

  /** True once orders and positions were read; false: stopped before. */
  async #read(unknown: Unknown): Promise<boolean> {
    const done = await this.#untilAnswered(async () => {
      const isRead = await this.#modules.readAfterBlocks(BLOCKS).then(
        () => true,
        () => false,
      );
      this.#note(unknown, "read", isRead ? "done" : "failed");
      return isRead ? true : null;
    });
    return done !== null;
  }

  /** No further answer is needed: fences end, and reads decide where anything does. */
  #isMoot(unknown: Unknown): boolean {
    return this.#stopped || unknown.named || this.#isOutlived(unknown);
  }

  /** Only the chain's clock says so: ours may be the one that is wrong. */
  #isOutlived({ timestampSec }: Unknown): boolean {
    const chain = this.#modules.chainTime();
    return chain !== null && chain.timeMs - timestampSec * 1000 > this.#options.landingBoundMs;
  }

  #note(unknown: Unknown, step: ResolutionStepName, outcome: string): void {
    if (this.#stopped) return;
    const { journal, clock, onStep } = this.#modules;
    const [intentId = 0] = unknown.intentIds;
    journal.resolution({ intentId, step, outcome, atMs: clock.wallMs() });
    onStep(unknown.command, step, outcome);
  }
}

const unknownOf = (attempt: Attempt): Unknown => ({
  nonce: attempt.nonce,
  command: attempt.command,
  timestampSec: attempt.timestampSec,
  signing: attempt.signing,
  attempt,
  intentIds: new Set([attempt.intentId]),
  named: false,
});

/** Refused and rejected alike mean only that it was not done; a rate limit means nothing at all. */
function meaningOf({ kind }: SubmitOutcome): ClearAnswer | null {
  if (kind === "executed") return "executed";
  return kind === "refused" || kind === "rejected" ? "turnedDown" : null;
}
