// Replays logged steps. Each resulting block must equal the logged block, including its hash.

import { messageOf } from "../../../kernel/errors.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import type { Verifier } from "../../../wire/signing.ts";
import { admit, checkEnvelope, parseBody, verifySignature } from "../admission/admission.ts";
import type { Block } from "../block.ts";
import type { BlockMaker } from "../block-maker.ts";
import type { Genesis } from "../genesis.ts";
import type { ChainState } from "../state.ts";
import { StoreError } from "./disk.ts";
import { actsOf, nameOf, type Step } from "./step.ts";

export type ReplayModules = {
  readonly genesis: Genesis;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  /** Checks signatures. They were checked before logging, so a resuming chain accepts all. */
  readonly verifier: Verifier;
  readonly publishBlock: (block: Block) => void;
};

export const trustingVerifier: Verifier = { verify: () => true };

/**
 * Returns the number of executed transactions. Throws StoreError: `damaged` if a block is missing, `diverged` if a transaction is not valid
 * or the previous block's hash differs from the logged one, `threw` if an act throws.
 */
export function replayStep(step: Step, modules: ReplayModules): number {
  let executed = 0;
  for (const act of actsOf(step)) {
    try {
      if (replayAct(act, modules)) executed += 1;
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      const { height } = modules.maker.now();
      const what = `block ${height}: ${nameOf(act)} makes the exchange throw (${messageOf(cause)})`;
      throw new StoreError("threw", what, { facts: { height }, cause });
    }
  }
  return executed;
}

/** Returns true for a user's transaction that was executed. */
function replayAct(act: Step, modules: ReplayModules): boolean {
  const { maker, state, publishBlock } = modules;
  switch (act.kind) {
    case "begin":
      checkPlace(act, maker);
      maker.begin(act.timeMs, act.prints);
      break;
    case "crowd":
      for (const { accountId, transaction } of act.actions) {
        const account = state.registry.account(accountId);
        if (account !== undefined) maker.crowd(account, transaction);
      }
      break;
    case "control":
      maker.control(act.act);
      break;
    case "transactions":
      return replayTransaction(act, modules);
    case "end":
      publishBlock(maker.finish());
      break;
  }
  return false;
}

function checkPlace(step: Extract<Step, { kind: "begin" }>, maker: BlockMaker): void {
  const { height } = maker.now();
  if (step.height !== height || maker.isOpen())
    throw new StoreError("damaged", `block ${height} is missing; the log goes on with ${step.height}`);
  const { hash } = maker.head();
  if (hash !== step.parentHash)
    throw new StoreError("diverged", `block ${height - 1} came out as ${hash}, logged is ${step.parentHash}`);
}

/** Returns false if it is not admitted after the others of its batch, as in the original run. */
function replayTransaction(
  { bodies: [body = ""], emittedMs }: Extract<Step, { kind: "transactions" }>,
  { genesis, state, maker, verifier }: ReplayModules,
): boolean {
  const { height, timeMs } = maker.now();
  const hash = sha256Hex(body);
  const diverged = (why: string) =>
    new StoreError("diverged", `block ${height}: transaction ${hash}: ${why}`, { facts: { height } });
  const envelope = parseBody(Buffer.from(body));
  if ("kind" in envelope) throw diverged(envelope.error);
  const rejection = checkEnvelope(envelope, genesis.config, timeMs) ?? verifySignature(envelope, verifier);
  if (rejection !== undefined) throw diverged(rejection.error);
  const admitted = admit(envelope, state, timeMs);
  if (admitted.kind === "rejected") return false;
  const { signer, account } = admitted;
  maker.transaction({ envelope, signer, account, hash: () => hash, emittedMs });
  return true;
}
