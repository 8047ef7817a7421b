// Takes bodies and gives answers. With the real clock a body executes at once; with the manual clock it
// waits for the next block, which takes all that came before it in the order they came.

import { sha256Hex } from "../../kernel/hash.ts";
import { decodeUtf8 } from "../../kernel/json.ts";
import type { OpenedEnvelope } from "../../wire/envelope.ts";
import type { Verifier } from "../../wire/signing.ts";
import { type AdmissionRules, admit, checkEnvelope, parseBody, verifySignature } from "./admission/admission.ts";
import { type Answer, rejected, unwritable } from "./admission/answer.ts";
import type { BlockMaker } from "./block-maker.ts";
import type { Journal } from "./log/journal.ts";
import type { ChainState } from "./state.ts";

export type Desk = {
  /** Never rejects its promise. */
  readonly submit: (body: Uint8Array) => Promise<Answer>;
  readonly open: (executes: "now" | "pending") => void;
  /** Executes what waits, into the block that is open; without one, the disk fails and nothing is taken. */
  readonly executePending: () => void;
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
};

type Waiting = {
  readonly body: Uint8Array;
  readonly envelope: OpenedEnvelope;
  readonly answer: (answer: Answer) => void;
};

/** Bodies that wait for the next block of a manual clock. More means that nobody advances it. */
const WAITING_MAX = 100_000;

export function createDesk(rules: AdmissionRules, { state, maker, journal, verifier, nowMs }: DeskModules): Desk {
  let executes: "now" | "pending" | "never" = "never";
  let waiting: Waiting[] = [];

  function execute(body: Uint8Array, envelope: OpenedEnvelope): Answer {
    if (!maker.isOpen()) return unwritable;
    const blockMs = maker.now().timeMs;
    const rejection = checkEnvelope(envelope, rules, blockMs) ?? verifySignature(envelope, verifier);
    if (rejection !== undefined) return rejection;
    const admitted = admit(envelope, state, blockMs);
    if (admitted.kind === "rejected") return admitted;
    const { signer, account } = admitted;
    const emittedMs = nowMs();
    if (!journal.keep({ kind: "transaction", body: decodeUtf8(body), emittedMs })) return unwritable;
    const hash = sha256Hex(body);
    const receipt = maker.transaction({ envelope, signer, account, hash, emittedMs });
    if (receipt.status === "success") return { kind: "executed", hash, events: receipt.events };
    return { kind: "refused", hash, code: receipt.code, error: receipt.error };
  }

  return {
    submit(body) {
      const envelope = parseBody(body);
      if ("kind" in envelope) return Promise.resolve(envelope);
      if (executes === "never") return Promise.resolve(rejected("STOPPED", "the chain takes no transactions", 503));
      if (executes === "now") return Promise.resolve(execute(body, envelope));
      if (waiting.length >= WAITING_MAX) {
        return Promise.resolve(rejected("OVERLOADED", `${WAITING_MAX} transactions wait for the next block`, 503));
      }
      return new Promise((answer) => {
        waiting.push({ body, envelope, answer });
      });
    },
    open(when) {
      executes = when;
    },
    executePending() {
      const taken = waiting;
      waiting = [];
      for (const { body, envelope, answer } of taken) answer(execute(body, envelope));
    },
    close() {
      executes = "never";
      for (const { answer } of waiting) answer(rejected("STOPPED", "the chain takes no transactions", 503));
      waiting = [];
    },
  };
}
