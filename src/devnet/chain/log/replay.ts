// Makes a logged block again. What comes out must be the block that was logged, to the last bit of its hash.

import type { Verifier } from "../../../wire/signing.ts";
import { decodeTransaction } from "../../../wire/transaction.ts";
import { admit, checkEnvelope, parseBody, verifySignature } from "../admission/admission.ts";
import type { BlockInput, Entry } from "../block.ts";
import type { BlockMaker } from "../block-maker.ts";
import type { Genesis } from "../genesis.ts";
import type { ChainState } from "../state.ts";
import { StoreError } from "./disk.ts";

export type ReplayModules = {
  readonly state: ChainState;
  readonly maker: BlockMaker;
  /** Whose word counts on signatures: they were checked before they were logged, so a resuming chain takes them as genuine. */
  readonly verifier: Verifier;
};

export const trustingVerifier: Verifier = { verify: () => true };

/** Throws StoreError `diverged` when something that was executed is no longer, or the block has another hash than `hash`. */
export function replayBlock(input: BlockInput, hash: string, genesis: Genesis, modules: ReplayModules): void {
  const { maker } = modules;
  const { height } = maker.now();
  if (input.height !== height)
    throw new StoreError("damaged", `block ${height} is missing; the log goes on with ${input.height}`);
  for (const act of input.before) expectSuccess(maker.control(act).status, input, "an operator's act");
  maker.begin(input.timeMs, input.prints);
  for (const entry of input.entries) replayEntry(entry, input, genesis, modules);
  const { block } = maker.finish();
  if (block.hash !== hash) {
    throw new StoreError("diverged", `block ${input.height} came out as ${block.hash}, logged is ${hash}`);
  }
}

function replayEntry(entry: Entry, input: BlockInput, genesis: Genesis, modules: ReplayModules): void {
  const { maker, state } = modules;
  switch (entry.kind) {
    case "control":
      expectSuccess(maker.control(entry.act).status, input, "an operator's act");
      break;
    case "crowd": {
      const account = state.registry.account(entry.accountId);
      const status = account && maker.crowd(account, decodeTransaction(JSON.parse(entry.text))).status;
      expectSuccess(status, input, `an act of account ${entry.accountId}`);
      break;
    }
    case "transaction":
      replayTransaction(entry, input, genesis, modules);
      break;
  }
}

function replayTransaction(
  entry: Extract<Entry, { kind: "transaction" }>,
  input: BlockInput,
  genesis: Genesis,
  { state, maker, verifier }: ReplayModules,
): void {
  const { body, hash } = entry;
  const envelope = parseBody(Buffer.from(body));
  if ("kind" in envelope) throw diverged(input, `transaction ${hash}: ${envelope.error}`);
  const rejection = checkEnvelope(envelope, genesis.config, input.timeMs) ?? verifySignature(envelope, verifier);
  const admitted = rejection ?? admit(envelope, state, input.timeMs);
  if (admitted.kind === "rejected") throw diverged(input, `transaction ${hash}: ${admitted.error}`);
  const { signer, account } = admitted;
  const { status } = maker.transaction({ envelope, signer, account, body, hash });
  if (status !== entry.status) throw diverged(input, `transaction ${hash}: ${status}, logged is ${entry.status}`);
}

function expectSuccess(status: "success" | "failed" | undefined, input: BlockInput, what: string): void {
  if (status !== "success") throw diverged(input, `${what} was refused`);
}

const diverged = (input: BlockInput, what: string): StoreError =>
  new StoreError("diverged", `block ${input.height}: ${what}`, { facts: { height: input.height } });
