// Takes logged steps again. Each block that comes out must be the one that was made, to the last bit of its hash.

import { sha256Hex } from "../../../kernel/hash.ts";
import type { Verifier } from "../../../wire/signing.ts";
import { admit, checkEnvelope, parseBody, verifySignature } from "../admission/admission.ts";
import type { Block } from "../block.ts";
import type { BlockMaker } from "../block-maker.ts";
import type { Genesis } from "../genesis.ts";
import type { ChainState } from "../state.ts";
import type { Step } from "./block-log.ts";
import { StoreError } from "./disk.ts";

export type ReplayModules = {
  readonly genesis: Genesis;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  /** Whose word counts on signatures: they were checked before they were logged, so a resuming chain takes them as genuine. */
  readonly verifier: Verifier;
  readonly publishBlock: (block: Block) => void;
};

export const trustingVerifier: Verifier = { verify: () => true };

/**
 * Throws StoreError: `damaged` when a block is missing, `diverged` when a transaction is no longer admitted, or the block before has
 * another hash than was logged.
 */
export function replayStep(step: Step, modules: ReplayModules): void {
  const { maker, state, publishBlock } = modules;
  switch (step.kind) {
    case "begin":
      checkPlace(step, maker);
      maker.begin(step.timeMs, step.prints);
      break;
    case "crowd":
      for (const { accountId, transaction } of step.actions) {
        const account = state.registry.account(accountId);
        if (account !== undefined) maker.crowd(account, transaction);
      }
      break;
    case "control":
      maker.control(step.act);
      break;
    case "transaction":
      replayTransaction(step, modules);
      break;
    case "end":
      publishBlock(maker.finish());
      break;
  }
}

function checkPlace(step: Extract<Step, { kind: "begin" }>, maker: BlockMaker): void {
  const { height } = maker.now();
  if (step.height !== height || maker.isOpen())
    throw new StoreError("damaged", `block ${height} is missing; the log goes on with ${step.height}`);
  const { hash } = maker.head();
  if (hash !== step.parentHash)
    throw new StoreError("diverged", `block ${height - 1} came out as ${hash}, logged is ${step.parentHash}`);
}

function replayTransaction(
  { body, emittedMs }: Extract<Step, { kind: "transaction" }>,
  { genesis, state, maker, verifier }: ReplayModules,
): void {
  const { height, timeMs } = maker.now();
  const hash = sha256Hex(body);
  const diverged = (why: string) =>
    new StoreError("diverged", `block ${height}: transaction ${hash}: ${why}`, { facts: { height } });
  const envelope = parseBody(Buffer.from(body));
  if ("kind" in envelope) throw diverged(envelope.error);
  const rejection = checkEnvelope(envelope, genesis.config, timeMs) ?? verifySignature(envelope, verifier);
  const admitted = rejection ?? admit(envelope, state, timeMs);
  if (admitted.kind === "rejected") throw diverged(admitted.error);
  const { signer, account } = admitted;
  maker.transaction({ envelope, signer, account, hash, emittedMs });
}
