// One attempt at the exchange: nonce, timestamp, journal, signature, socket, `sent`, in this order and without an await. Work that no order
// waits for follows the socket. Every answer is an outcome; a missing one is unknown.

import { actionClassOf, type Command, commitsNonce } from "../../domain/command.ts";
import type { SendRefusalCode } from "../../domain/drop-reason.ts";
import type { ExecutionEvent, SubmitOutcome, TransactionEvent } from "../../domain/event.ts";
import type { IntentEnd } from "../../domain/intent.ts";
import { type Lane, laneOf } from "../../domain/lane.ts";
import type { AccountId, Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Facts, messageOf } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { sealEnvelope, signedMessage, type Unsigned } from "../../wire/envelope.ts";
import { encodeTransaction } from "../../wire/transaction.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import type { Journal } from "./journal.ts";
import type { NonceAllocator } from "./nonces.ts";
import { type ChainTime, orderTimes, sendTimes } from "./send-time.ts";
import { transactionOf } from "./transactions.ts";

/** A key and the nonces that belong to it: they change together. */
export type SigningKey = { readonly agentKey: AgentKey; readonly nonces: NonceAllocator };

/** A transaction with its bytes, named in the journal. */
export type Attempt = {
  readonly intentId: number;
  readonly signing: SigningKey;
  readonly nonce: Nonce;
  readonly command: Command;
  readonly lane: Lane;
  readonly timestampSec: number;
  /** The other clock differs and has not been tried. */
  readonly hasOtherTime: boolean;
  /** By the other clock, after the first was rejected. */
  readonly isAgain: boolean;
  /** The signed content. Ed25519 is deterministic: each sending has the same bytes. */
  readonly unsigned: Unsigned;
};

export type SendRefusal = {
  readonly kind: "refused";
  readonly code: SendRefusalCode;
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
  readonly chainTime: () => ChainTime | null;
  /** False: too much would be on the way. */
  readonly admits: (command: Command) => boolean;
  /** Called with an attempt as it is sent, and with its answer. */
  readonly sent: (event: ExecutionEvent) => void;
  readonly answered: (event: ExecutionEvent, attempt: Attempt) => void;
  /** True while the fate of the place or modify with this nonce is unknown. */
  readonly isOpen: (nonce: Nonce) => boolean;
  readonly observe: SendObserver;
};

/** Called with every attempt, for metrics; must not throw. */
export type SendObserver = {
  /** `causeMs`: when the event that caused the attempt was received, monotonic ms; null: none. */
  readonly onSent: (attempt: Attempt, causeMs: number | null) => void;
  readonly onAnswered: (attempt: Attempt, outcome: SubmitOutcome, durationMs: number) => void;
};

/** The exchange's own words in the journal: long enough to recognize, too short to fill a disk. */
const REMARK_LENGTH_MAX = 200;

export class Sender {
  readonly #options: SenderOptions;
  readonly #modules: SenderModules;
  /** Successes with an unknown effect: if we die now, the next run must resolve them. */
  readonly #unshown = new Map<Nonce, { readonly intentId: number; readonly txHash: string }>();
  #closed = false;

  constructor(options: SenderOptions, modules: SenderModules) {
    this.#options = options;
    this.#modules = modules;
  }

  /**
   * Takes a nonce, or the given one for a fence, and journals. Release the attempt in the same task. Only new exposure is ever refused.
   * `isAgain`: by the other clock, after the first was rejected.
   */
  prepare(command: Command, signing: SigningKey, given: Nonce | null, isAgain: boolean): Attempt | SendRefusal {
    const actionClass = actionClassOf(command);
    const { journal, clock, chainTime } = this.#modules;
    if (this.#closed) return { kind: "refused", code: "closed", facts: {} };
    if (actionClass === "increase" && !journal.health().ok) return { kind: "refused", code: "journal", facts: {} };
    if (!this.#modules.admits(command)) return { kind: "refused", code: "allowance", facts: {} };
    const times = sendTimes(chainTime(), clock.wallMs());
    const { first, other } = actionClass === "cancel" ? times : orderTimes(times);
    const timeMs = isAgain ? (other ?? first) : first;
    const taken = given ?? this.#nonceFor(command, signing, timeMs);
    if (typeof taken !== "bigint") return taken;
    const { accountId, chainId } = this.#options;
    const timestampSec = Math.floor(timeMs / 1000);
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
    const hasOtherTime = other !== null && !isAgain;
    const lane = laneOf(command);
    return { intentId, signing, nonce: taken, command, lane, timestampSec, hasOtherTime, isAgain, unsigned };
  }

  /** Writes the journal and hands the attempt to the socket. Never rejects. */
  release(attempt: Attempt, causeMs: number | null): void {
    const isWritten = this.#modules.journal.writeAhead();
    if (isWritten || actionClassOf(attempt.command) !== "increase") {
      this.#send(attempt, causeMs);
      return;
    }
    const outcome: SubmitOutcome = { kind: "notSent", why: "the journal could not be written" };
    this.#answer(attempt, outcome, this.#modules.clock.monotonicMs());
  }

  /** The fate of a transaction whose answer was lost is known, or nothing depends on it. */
  settled(intentIds: readonly number[], end: IntentEnd): void {
    for (const intentId of intentIds) this.#end(intentId, end, null, null);
  }

  /** The effects of some unexplained successes are known. */
  shown(): void {
    for (const [nonce, { intentId, txHash }] of this.#unshown) {
      if (this.#modules.isOpen(nonce)) continue;
      this.#unshown.delete(nonce);
      this.#end(intentId, "executed", txHash, null);
    }
  }

  /** From here on answers change nothing: journal and state are about to close. */
  close(): void {
    this.#closed = true;
  }

  #send(attempt: Attempt, causeMs: number | null): void {
    const { clock, sent } = this.#modules;
    const sentMs = clock.monotonicMs();
    const submitted = this.#submit(attempt, causeMs);
    const { nonce, command, isAgain } = attempt;
    sent({ kind: "sent", nonce, command, isAgain, receivedMs: sentMs });
    void submitted.then((outcome) => this.#answer(attempt, outcome, sentMs));
  }

  /** The port promises an outcome; if it breaks its word, nothing is known. If signing fails, nothing is sent. */
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

  #nonceFor(command: Command, { nonces }: SigningKey, timeMs: number): Nonce | SendRefusal {
    if (!commitsNonce(command)) return nonces.unchecked(timeMs);
    const answer = nonces.allocate(actionClassOf(command), timeMs);
    return answer.kind === "issued" ? answer.nonce : answer;
  }

  #answer(attempt: Attempt, answer: SubmitOutcome, sentMs: number): void {
    const { clock, answered, observe } = this.#modules;
    if (this.#closed) return;
    const outcome = this.#meaning(attempt, answer);
    const { nonce, command } = attempt;
    // A success's effect may be open until its events are folded, and the machine handles a lost answer.
    const isEnd = outcome.kind !== "executed" && outcome.kind !== "unknown";
    if (isEnd) this.#remember(attempt, outcome);
    answered({ kind: "answered", nonce, command, outcome, receivedMs: clock.monotonicMs() }, attempt);
    if (outcome.kind === "executed") this.#remember(attempt, outcome);
    observe.onAnswered(attempt, outcome, clock.monotonicMs() - sentMs);
  }

  #meaning(attempt: Attempt, answer: SubmitOutcome): SubmitOutcome {
    const isUnknown = this.#options.tooManyRequestsMeans === "unknown" && commitsNonce(attempt.command);
    if (answer.kind !== "rateLimited" || !isUnknown) return answer;
    return { kind: "unknown", why: "HTTP 429", retryAfterMs: answer.retryAfterMs };
  }

  #remember(attempt: Attempt, outcome: Exclude<SubmitOutcome, { readonly kind: "unknown" }>): void {
    const { intentId, command, signing, nonce } = attempt;
    // The nonce of a fence is not its own: the machine handles its outcome.
    if (command.kind !== "cancelAll" || command.fences === null) signing.nonces.ended(nonce);
    const hash = outcome.kind === "executed" || outcome.kind === "refused" ? outcome.hash : null;
    if (outcome.kind === "executed") {
      this.#rememberOrders(command, outcome.events);
      if ((command.kind === "place" || command.kind === "modify") && this.#modules.isOpen(nonce)) {
        this.#unshown.set(nonce, { intentId, txHash: outcome.hash });
        return;
      }
    }
    this.#end(intentId, outcome.kind, hash, remarkOf(outcome));
  }

  #rememberOrders(command: Command, events: readonly TransactionEvent[]): void {
    const { journal } = this.#modules;
    if (command.kind === "modify") {
      const { accountId, orderId, marketId, side, newPrice, newSize } = command;
      const order = { accountId, orderId, marketId, side, price: newPrice, size: newSize, isOver: false };
      journal.keep({ kind: "order", order });
    }
    if (command.kind !== "place") return;
    for (const event of events) {
      if (event.type !== "orderPlaced" || event.accountId !== this.#options.accountId) continue;
      const { type: _, ...order } = event;
      journal.keep({ kind: "order", order: { ...order, isOver: false } });
    }
  }

  #end(intentId: number, end: IntentEnd, txHash: string | null, remark: string | null): void {
    if (this.#closed) return;
    this.#modules.journal.end({ intentId, end, txHash, remark, atMs: this.#modules.clock.wallMs() });
  }
}

function remarkOf(outcome: Exclude<SubmitOutcome, { kind: "unknown" }>): string | null {
  if (outcome.kind === "executed") return null;
  return (outcome.kind === "notSent" ? outcome.why : outcome.error).slice(0, REMARK_LENGTH_MAX);
}
