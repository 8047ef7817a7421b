// Takes transactions and returns answers, in order of arrival. With the real clock, all transactions of one event-loop turn execute
// together; with the manual clock they wait for the next block.

import { sha256Hex } from "../../kernel/hash.ts";
import { decodeUtf8 } from "../../kernel/json.ts";
import type { Verifier } from "../../wire/signing.ts";
import type { ChainEvent } from "../event.ts";
import {
  type AdmissionRules,
  admit,
  checkEnvelope,
  type EnvelopeFacts,
  parseBody,
  verifySignature,
} from "./admission/admission.ts";
import {
  type Answer,
  type AnsweredEvent,
  isReported,
  type Rejection,
  rejected,
  unwritable,
} from "./admission/answer.ts";
import type { BlockMaker } from "./block-maker.ts";
import type { Journal } from "./log/journal.ts";
import type { ChainState } from "./state.ts";

/** A decoded transaction whose signer is trusted. */
export type TrustedTransaction = EnvelopeFacts & {
  /**
   * Returns the equivalent body of POST /v1/tx; its hash identifies the transaction. Called at most once, and only for a log, a named
   * block, a fill, a refusal, or when the answer's hash is read.
   */
  readonly body: () => string;
};

export type Intake = {
  /** The promise never rejects. */
  readonly submit: (body: Uint8Array) => Promise<Answer>;
  /** Returns the answer, or null if the transaction waits; then `later` gets the answer. */
  readonly transact: (transaction: TrustedTransaction, later: (answer: Answer) => void) => Answer | null;
  readonly open: (executes: "now" | "pending") => void;
  /** Executes the waiting transactions in the open block. If no block is open, the disk fails and all are refused. */
  readonly executeWaiting: () => void;
  /** Rejects all waiting and all future transactions. */
  readonly close: () => void;
};

export type IntakeModules = {
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly journal: Journal;
  readonly verifier: Verifier;
  /** Current time, never before the open block's time. */
  readonly nowMs: () => number;
  readonly atTurnEnd: (run: () => void) => void;
};

/** Transactions that may wait for the next block of a manual clock. More means that no one advances the clock. */
const WAITING_MAX = 100_000;

export function createIntake(
  rules: AdmissionRules,
  { state, maker, journal, verifier, nowMs, atTurnEnd }: IntakeModules,
): Intake {
  let executes: "now" | "pending" | "never" = "never";
  let waiting: Waiting[] = [];

  /** Makes the checks that do not depend on earlier transactions; answers a rejection itself. */
  function isSound(each: Waiting): boolean {
    const rejection = checkEnvelope(each.envelope, rules, maker.now().timeMs) ?? each.verify();
    if (rejection !== undefined) each.answer(rejection);
    return rejection === undefined;
  }

  const admittedNow = ({ envelope }: Waiting) => admit(envelope, state, maker.now().timeMs);

  function execute(each: Waiting, emittedMs: number): Answer {
    const admitted = admittedNow(each);
    if (admitted.kind === "rejected") return admitted;
    const { envelope } = each;
    const { signer, account } = admitted;
    const receipt = maker.transaction({ envelope, signer, account, hash: () => each.hash, emittedMs });
    if (receipt.status === "success") return new Executed(each, receipt.events);
    return { kind: "refused", hash: each.hash, code: receipt.code, error: receipt.error };
  }

  /** Each is admitted again at execution, because an earlier one may have used its nonce. */
  function executeTogether(admitted: readonly Waiting[]): void {
    const emittedMs = nowMs();
    journal.take(
      () => ({ kind: "transactions", bodies: admitted.map(({ text }) => text), emittedMs }),
      admitted.map((each) => () => each.answer(execute(each, emittedMs))),
    );
  }

  /**
   * A transaction that is not admitted ends the batch: the batch executes, then it is checked again, because the batch may have made it
   * valid.
   */
  function executeWaiting(): void {
    const came = waiting;
    waiting = [];
    let admitted: Waiting[] = [];
    for (const each of maker.isOpen() ? came.filter(isSound) : []) {
      let now = admittedNow(each);
      if (now.kind === "rejected" && admitted.length > 0) {
        executeTogether(admitted);
        admitted = [];
        now = admittedNow(each);
      }
      if (now.kind === "rejected") each.answer(now);
      else admitted.push(each);
    }
    if (admitted.length > 0) executeTogether(admitted);
    for (const each of came) each.answer(unwritable);
  }

  function take(each: Waiting): void {
    if (executes === "never") each.answer(stopped);
    else if (waiting.length >= WAITING_MAX) each.answer(overloaded);
    else {
      waiting.push(each);
      if (executes === "now" && waiting.length === 1) atTurnEnd(executeWaiting);
    }
  }

  return {
    submit(body) {
      const envelope = parseBody(body);
      if ("kind" in envelope) return Promise.resolve(envelope);
      const verify = () => verifySignature(envelope, verifier);
      return new Promise((answer) => take(new Waiting({ envelope, body: () => decodeUtf8(body), verify, answer })));
    },
    transact(transaction, later) {
      let now: Answer | null = null;
      let isLate = false;
      const answer = (given: Answer): void => {
        if (isLate) later(given);
        else now = given;
      };
      take(new Waiting({ envelope: transaction, body: transaction.body, verify: () => undefined, answer }));
      isLate = true;
      return now;
    },
    open(when) {
      executes = when;
    },
    executeWaiting,
    close() {
      executes = "never";
      for (const each of waiting) each.answer(stopped);
      waiting = [];
    },
  };
}

const stopped = rejected("STOPPED", "the chain takes no transactions", 503);
const overloaded = rejected("OVERLOADED", `${WAITING_MAX} transactions wait for the next block`, 503);

type Received = {
  readonly envelope: EnvelopeFacts;
  readonly body: () => string;
  readonly verify: () => Rejection | undefined;
  readonly answer: (answer: Answer) => void;
};

/** A transaction that waits for its answer. */
class Waiting {
  readonly envelope: EnvelopeFacts;
  readonly verify: () => Rejection | undefined;
  readonly #body: () => string;
  #answer: ((answer: Answer) => void) | null;
  #text: string | undefined;
  #hash: string | undefined;

  constructor({ envelope, body, verify, answer }: Received) {
    this.envelope = envelope;
    this.verify = verify;
    this.#body = body;
    this.#answer = answer;
  }

  get text(): string {
    this.#text ??= this.#body();
    return this.#text;
  }

  get hash(): string {
    this.#hash ??= sha256Hex(this.text);
    return this.#hash;
  }

  /** Only the first answer counts. */
  answer(answer: Answer): void {
    const first = this.#answer;
    this.#answer = null;
    first?.(answer);
  }
}

/**
 * Its hash is computed when it is read. A class, because each object literal with a getter would get its own hidden class, which outlives
 * it.
 */
class Executed {
  readonly kind = "executed";
  readonly events: readonly AnsweredEvent[];
  readonly #of: Waiting;

  constructor(of: Waiting, events: readonly ChainEvent[]) {
    this.events = events.filter(isReported);
    this.#of = of;
  }

  get hash(): string {
    return this.#of.hash;
  }
}
