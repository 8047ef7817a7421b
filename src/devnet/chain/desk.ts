// Takes bodies and gives answers. With the real clock those that came in one turn of the event loop execute together; with the manual
// clock they wait for the next block, which takes all that came before it. In the order they came.

import { sha256Hex } from "../../kernel/hash.ts";
import { decodeUtf8 } from "../../kernel/json.ts";
import type { OpenedEnvelope } from "../../wire/envelope.ts";
import type { Verifier } from "../../wire/signing.ts";
import { type AdmissionRules, admit, checkEnvelope, parseBody, verifySignature } from "./admission/admission.ts";
import { type Answer, type Rejection, rejected, unwritable } from "./admission/answer.ts";
import type { BlockMaker } from "./block-maker.ts";
import type { Journal } from "./log/journal.ts";
import type { ChainState } from "./state.ts";

export type Desk = {
  /** Never rejects its promise. */
  readonly submit: (body: Uint8Array) => Promise<Answer>;
  readonly open: (executes: "now" | "pending") => void;
  /** Executes what waits, into the block that is open; without one, the disk fails and nothing is taken. */
  readonly executeWaiting: () => void;
  /** Answers what waits, and everything from now on, with a rejection. */
  readonly close: () => void;
};

export type DeskModules = {
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly journal: Journal;
  readonly verifier: Verifier;
  /** Not before the open block's time. */
  readonly nowMs: () => number;
  readonly atTurnEnd: (run: () => void) => void;
};

type Waiting = {
  readonly body: Uint8Array;
  readonly envelope: OpenedEnvelope;
  /** The first counts. */
  readonly answer: (answer: Answer) => void;
};

/** Bodies that wait for the next block of a manual clock. More means that nobody advances it. */
const WAITING_MAX = 100_000;

export function createDesk(
  rules: AdmissionRules,
  { state, maker, journal, verifier, nowMs, atTurnEnd }: DeskModules,
): Desk {
  let executes: "now" | "pending" | "never" = "never";
  let waiting: Waiting[] = [];

  /** What can be said of it whatever those before it do; answers it when that is a rejection. */
  function isSound({ envelope, answer }: Waiting): boolean {
    const rejection = checkEnvelope(envelope, rules, maker.now().timeMs) ?? verifySignature(envelope, verifier);
    if (rejection !== undefined) answer(rejection);
    return rejection === undefined;
  }

  const admittedNow = ({ envelope }: Waiting) => admit(envelope, state, maker.now().timeMs);

  function execute(each: Waiting, emittedMs: number): Answer {
    const admitted = admittedNow(each);
    if (admitted.kind === "rejected") return admitted;
    const { envelope, body } = each;
    const { signer, account } = admitted;
    const hash = sha256Hex(body);
    const receipt = maker.transaction({ envelope, signer, account, hash, emittedMs });
    if (receipt.status === "success") return { kind: "executed", hash, events: receipt.events };
    return { kind: "refused", hash, code: receipt.code, error: receipt.error };
  }

  /** Admitted now, each is admitted once more as it is executed: those before it may have used its nonce. */
  function executeTogether(admitted: readonly Waiting[]): void {
    const emittedMs = nowMs();
    const bodies = admitted.map(({ body }) => decodeUtf8(body));
    journal.take({ kind: "transactions", bodies, emittedMs }, (at) => {
      const each = admitted[at];
      each?.answer(execute(each, emittedMs));
    });
  }

  /** One that is not admitted ends what is written at once, and is judged after it: those before it may let it in. */
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
    for (const { answer } of came) answer(unwritable);
  }

  return {
    submit(body) {
      const envelope = parseBody(body);
      if ("kind" in envelope) return Promise.resolve(envelope);
      if (executes === "never") return Promise.resolve(stopped);
      if (waiting.length >= WAITING_MAX) {
        return Promise.resolve(rejected("OVERLOADED", `${WAITING_MAX} transactions wait for the next block`, 503));
      }
      return new Promise((answer) => {
        waiting.push({ body, envelope, answer });
        if (executes === "now" && waiting.length === 1) atTurnEnd(executeWaiting);
      });
    },
    open(when) {
      executes = when;
    },
    executeWaiting,
    close() {
      executes = "never";
      for (const { answer } of waiting) answer(stopped);
      waiting = [];
    },
  };
}

const stopped: Rejection = rejected("STOPPED", "the chain takes no transactions", 503);
