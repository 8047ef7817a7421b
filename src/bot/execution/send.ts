// One attempt at the exchange: nonce, timestamp, journal, `sent`, signature, socket, in this order and with no await between. A batch
// of attempts shares one write of the journal; each is signed right before it leaves, so that the first does not wait for the
// signatures of the others. Whatever comes back is an outcome; what does not come back is unknown.

import { actionClassOf, type Command } from "../../domain/command.ts";
import type { ExecutionEvent, SubmitOutcome, TransactionEvent } from "../../domain/event.ts";
import type { EndedIntent, IntentEnd } from "../../domain/intent.ts";
import type { AccountId, Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Facts, messageOf } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { sealEnvelope, signedMessage, type Unsigned } from "../../wire/envelope.ts";
import { encodeTransaction } from "../../wire/transaction.ts";
import type { Lane, Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import type { RateBudget } from "./budget.ts";
import type { Journal } from "./journal.ts";
import type { ChainTime, NonceAllocator, NonceRefusalCode } from "./nonces.ts";
import { type Stamp, Stamps } from "./stamps.ts";
import { commitsNonce, laneOf, transactionOf } from "./transactions.ts";

/** A key and the nonces that belong to it: they change together. */
export type SigningKey = { readonly agentKey: AgentKey; readonly nonces: NonceAllocator };

/** A transaction with its bytes: in the journal, folded as sent. */
export type Attempt = {
  readonly intentId: number;
  readonly signing: SigningKey;
  readonly nonce: Nonce;
  readonly command: Command;
  readonly lane: Lane;
  readonly timestampSec: number;
  readonly stamp: Stamp;
  /** What is signed. Ed25519 is deterministic: each sending has the same bytes. */
  readonly unsigned: Unsigned;
};

/** Why nothing was sent. `journal`: it cannot be written down, so new exposure stays here. `closed`: this execution has ended. */
export type SendRefusal = {
  readonly kind: "refused";
  readonly code: NonceRefusalCode | "journal" | "closed" | "allowance";
  readonly facts: Facts;
};

export type SenderOptions = {
  readonly accountId: AccountId;
  readonly chainId: string;
  /**
   * What HTTP 429 means for a transaction (NS-26). `rejected`: it was not executed, by assumption. `unknown`: it may have been, and
   * is fenced like any lost answer.
   */
  readonly tooManyRequestsMeans: "rejected" | "unknown";
};

export type SenderModules = {
  readonly clock: Clock;
  readonly venue: Pick<Venue, "submit">;
  readonly journal: Journal;
  readonly budget: RateBudget;
  readonly chainTime: () => ChainTime | null;
  /** False: more would be on the way than is allowed. */
  readonly admits: (command: Command) => boolean;
  readonly fold: (event: ExecutionEvent) => void;
  /** True while the order of this place may be live and nobody has named its id. */
  readonly isUnidentified: (nonce: Nonce) => boolean;
  readonly observe: SendObserver;
};

/** Told of every attempt, for metrics; must not throw. */
export type SendObserver = {
  /** `causeMs`: when the event that the attempt reacts to was received, monotonic ms; null: none. */
  readonly onSent: (attempt: Attempt, causeMs: number | null) => void;
  readonly onAnswered: (attempt: Attempt, outcome: SubmitOutcome, durationMs: number) => void;
};

/** The exchange's own words in the journal: enough to recognize, too short to fill a disk. */
const REMARK_LENGTH_MAX = 200;

export class Sender {
  readonly #options: SenderOptions;
  readonly #modules: SenderModules;
  readonly #stamps: Stamps;
  #closed = false;

  constructor(options: SenderOptions, modules: SenderModules) {
    this.#options = options;
    this.#modules = modules;
    this.#stamps = new Stamps(modules);
  }

  /**
   * Takes a nonce (or the one that is given, for a fence), journals and folds. The attempt must be released in the same task.
   * Only new exposure is ever refused. A cancel takes its share of the budget without asking.
   */
  prepare(command: Command, signing: SigningKey, given: Nonce | null = null): Attempt | SendRefusal {
    const actionClass = actionClassOf(command);
    const { journal, clock, fold, budget } = this.#modules;
    if (this.#closed) return { kind: "refused", code: "closed", facts: {} };
    if (actionClass === "increase" && !journal.health().ok) return { kind: "refused", code: "journal", facts: {} };
    if (!this.#modules.admits(command)) return { kind: "refused", code: "allowance", facts: {} };
    const taken = given ?? this.#nonceFor(command, signing);
    if (typeof taken !== "bigint") return taken;
    if (actionClass === "cancel") budget.take("cancel");
    const { accountId, chainId } = this.#options;
    const stamp = this.#stamps.now();
    const timestampSec = Math.floor(stamp.timeMs / 1000);
    const transactionText = encodeTransaction(transactionOf(command));
    const unsigned = { chainId, transactionText, nonce: taken, timestampSec };
    const intentId = journal.intent({
      accountId,
      signer: signing.agentKey.fingerprint,
      nonce: taken,
      command,
      bytesHash: sha256Hex(signedMessage(unsigned)),
      timestampSec,
      createdMs: clock.wallMs(),
    });
    fold({ kind: "sent", nonce: taken, command, receivedMs: clock.monotonicMs() });
    return { intentId, signing, nonce: taken, command, lane: laneOf(command), timestampSec, stamp, unsigned };
  }

  /** Writes the journal once and hands every attempt to the socket. The promises follow the attempts and never reject. */
  release(attempts: readonly Attempt[], causeMs: number | null = null): readonly Promise<SubmitOutcome>[] {
    const written = this.#modules.journal.writeAhead();
    return attempts.map((attempt) => {
      if (written || actionClassOf(attempt.command) !== "increase") return this.#send(attempt, causeMs);
      const outcome: SubmitOutcome = { kind: "notSent", why: "the journal could not be written" };
      return Promise.resolve(this.#answer(attempt, outcome, this.#modules.clock.monotonicMs()));
    });
  }

  /** The exchange has said that it takes cancels alone for now. */
  get mustWait(): boolean {
    return this.#modules.budget.isPaused;
  }

  /**
   * Sends the bytes of a lost attempt again. Only success is an answer to it: whatever else comes back speaks of this sending and
   * not of the first. Never rejects.
   */
  async resend(attempt: Attempt): Promise<SubmitOutcome> {
    const sentMs = this.#modules.clock.monotonicMs();
    this.#modules.budget.take("cancel"); // Like a cancel it does not wait, and like a cancel it counts.
    const outcome = await this.#submit(attempt, null);
    if (outcome.kind === "executed") return this.#answer(attempt, outcome, sentMs);
    this.#modules.budget.learn(outcome);
    return outcome;
  }

  /** A transaction of an earlier life that may have landed: known to the bot from here on. */
  recovered(nonce: Nonce, command: Command): void {
    const { clock, fold } = this.#modules;
    const receivedMs = clock.monotonicMs();
    fold({ kind: "sent", nonce, command, isFromEarlierLife: true, receivedMs });
    const outcome: SubmitOutcome = { kind: "unknown", why: "sent by an earlier life" };
    fold({ kind: "answered", nonce, command, outcome, receivedMs });
  }

  /** A place whose order an earlier life found to be over, without its id: what public trades and late frames tell of it is ours. */
  recalled({ nonce, command, endedMs }: EndedIntent): void {
    const { clock, fold } = this.#modules;
    this.recovered(nonce, command);
    const receivedMs = clock.monotonicMs() - Math.max(0, clock.wallMs() - endedMs);
    fold({ kind: "resolved", nonce, command, verdict: "landed", receivedMs });
  }

  /** The answer is lost and does not matter: whether it lands or not, nothing depends on it. */
  abandon({ intentId, signing, nonce }: Attempt): void {
    signing.nonces.ended(nonce, "unsaid");
    this.#end(intentId, "harmless", null, null);
  }

  /** From here on answers change nothing: journal and state are about to close. */
  close(): void {
    this.#closed = true;
  }

  /** A lost answer was resolved. */
  resolved(
    unknown: { readonly nonce: Nonce; readonly command: Command; readonly signing: SigningKey | null },
    intentIds: Iterable<number>,
    verdict: "neverLanded" | "landed",
  ): void {
    const { clock, fold, isUnidentified } = this.#modules;
    if (this.#closed) return;
    unknown.signing?.nonces.ended(unknown.nonce, "unsaid");
    const hasNoId = verdict === "landed" && unknown.command.kind === "place" && isUnidentified(unknown.nonce);
    for (const intentId of intentIds) this.#end(intentId, hasNoId ? "landedUnidentified" : verdict, null, null);
    fold({
      kind: "resolved",
      nonce: unknown.nonce,
      command: unknown.command,
      verdict,
      receivedMs: clock.monotonicMs(),
    });
  }

  async #send(attempt: Attempt, causeMs: number | null): Promise<SubmitOutcome> {
    const sentMs = this.#modules.clock.monotonicMs();
    return this.#answer(attempt, await this.#submit(attempt, causeMs), sentMs);
  }

  /** The port promises an outcome; should it break its word, nothing is known. A signature that fails leaves nothing to be sent. */
  #submit(attempt: Attempt, causeMs: number | null): Promise<SubmitOutcome> {
    const { venue, observe } = this.#modules;
    const lost = (thrown: unknown): SubmitOutcome => ({ kind: "unknown", why: messageOf(thrown) });
    const body = this.#seal(attempt);
    if (typeof body !== "string") return Promise.resolve(body);
    try {
      const answer = venue.submit(body, attempt.lane);
      observe.onSent(attempt, causeMs);
      return answer.catch(lost);
    } catch (thrown) {
      return Promise.resolve(lost(thrown));
    }
  }

  #seal({ unsigned, signing }: Attempt): string | SubmitOutcome {
    try {
      return sealEnvelope({ ...unsigned, signer: signing.agentKey.signer });
    } catch (thrown) {
      return { kind: "notSent", why: `not signed: ${messageOf(thrown)}` };
    }
  }

  #nonceFor(command: Command, { nonces }: SigningKey): Nonce | SendRefusal {
    if (!commitsNonce(command)) return nonces.unchecked();
    const answer = nonces.allocate(actionClassOf(command));
    return answer.kind === "issued" ? answer.nonce : answer;
  }

  #answer(attempt: Attempt, answer: SubmitOutcome, sentMs: number): SubmitOutcome {
    const { clock, budget, fold, observe } = this.#modules;
    if (this.#closed) return answer;
    budget.learn(answer);
    this.#stamps.answered(attempt.stamp, answer);
    const outcome = this.#meaning(attempt, answer);
    this.#remember(attempt, outcome);
    fold({
      kind: "answered",
      nonce: attempt.nonce,
      command: attempt.command,
      outcome,
      receivedMs: clock.monotonicMs(),
    });
    observe.onAnswered(attempt, outcome, clock.monotonicMs() - sentMs);
    return outcome;
  }

  #meaning(attempt: Attempt, answer: SubmitOutcome): SubmitOutcome {
    const isUnknown = this.#options.tooManyRequestsMeans === "unknown" && commitsNonce(attempt.command);
    return answer.kind === "rateLimited" && isUnknown ? { kind: "unknown", why: "HTTP 429" } : answer;
  }

  #remember(attempt: Attempt, outcome: SubmitOutcome): void {
    const { intentId, command, signing, nonce } = attempt;
    if (outcome.kind === "unknown") {
      if (!commitsNonce(command)) this.#end(intentId, "harmless", null, outcome.why);
      return;
    }
    // A fence speaks of a nonce that is not its own: what it means is for the resolver to say.
    if (command.kind !== "cancelAll" || command.fences === null) signing.nonces.ended(nonce, nonceEnd(outcome));
    // Its order has no name yet: should we die now, the next life is to ask for it.
    if (isUnnamed(attempt, outcome)) return;
    const hash = outcome.kind === "executed" || outcome.kind === "refused" ? outcome.hash : null;
    this.#end(intentId, outcome.kind, hash, remarkOf(outcome));
    if (outcome.kind === "executed") this.#rememberOrders(command, outcome.events);
  }

  #rememberOrders(command: Command, events: readonly TransactionEvent[]): void {
    const { journal } = this.#modules;
    if (command.kind === "modify") {
      const { accountId, orderId, marketId, side, newPrice, newSize } = command;
      journal.order({ accountId, orderId, marketId, side, price: newPrice, size: newSize, isOver: false });
    }
    if (command.kind !== "place") return;
    for (const event of events) {
      if (event.type !== "orderPlaced" || event.accountId !== this.#options.accountId) continue;
      const { type: _, ...order } = event;
      journal.order({ ...order, isOver: false });
    }
  }

  #end(intentId: number, end: IntentEnd, txHash: string | null, remark: string | null): void {
    if (this.#closed) return;
    this.#modules.journal.end({ intentId, end, txHash, remark, atMs: this.#modules.clock.wallMs() });
  }
}

/** A place that executed, may rest, and whose answer names no order: no list of events is promised (S6.1). */
export function isUnnamed({ command }: Pick<Attempt, "command">, outcome: SubmitOutcome): boolean {
  if (outcome.kind !== "executed" || command.kind !== "place" || command.timeInForce !== "GTC") return false;
  return command.orderType !== "Market" && !outcome.events.some(({ type }) => naming.has(type));
}

const naming: ReadonlySet<TransactionEvent["type"]> = new Set(["orderPlaced", "fill", "orderCanceled"]);

/** Statuses that find fault with a credential, a path or a size, whatever the nonce. */
const notOfNonces: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407, 413, 414, 415]);

/** Not sent: the nonce is free again, but is not used a second time. */
function nonceEnd(outcome: Exclude<SubmitOutcome, { kind: "unknown" }>): "accepted" | "rejected" | "unsaid" {
  if (outcome.kind === "rejected") return notOfNonces.has(outcome.httpStatus) ? "unsaid" : "rejected";
  return outcome.kind === "executed" || outcome.kind === "refused" ? "accepted" : "unsaid";
}

function remarkOf(outcome: Exclude<SubmitOutcome, { kind: "unknown" }>): string | null {
  if (outcome.kind === "executed") return null;
  return (outcome.kind === "notSent" ? outcome.why : outcome.error).slice(0, REMARK_LENGTH_MAX);
}
