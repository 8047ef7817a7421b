// Replays a chain from genesis, checks every signature, and compares each block's hash and each snapshot's state.

import type { Verifier } from "../../../wire/signing.ts";
import { saveState } from "../state.ts";
import { openBlockLog } from "./block-log.ts";
import { type Disk, StoreError } from "./disk.ts";
import { replayStep } from "./replay.ts";
import { readGenesis, standAtGenesis } from "./resume.ts";
import { stateHashOf } from "./snapshots.ts";

export type VerifyReport = {
  readonly chainId: string;
  readonly height: number;
  readonly stateRoot: string;
  readonly blocks: number;
  /** Users' transactions, including those of an unfinished block. */
  readonly transactions: number;
  readonly snapshots: number;
};

/** Throws StoreError: `damaged` if the log is not what was written, `diverged` at the first block or state that differs. */
export function verifyChain(disk: Disk, verifier: Verifier): VerifyReport {
  const log = openBlockLog(disk);
  const genesis = readGenesis(log);
  if (genesis === undefined) throw new StoreError("damaged", "there is no chain in this directory");
  const standing = standAtGenesis(genesis, () => undefined);
  const { state, maker } = standing;
  const counts = { blocks: 0, transactions: 0, snapshots: 0 };
  for (const { line } of log.lines(0)) {
    if (line.kind === "genesis") {
      if (line.hash !== maker.head().hash) throw new StoreError("diverged", "block 0 came out as another");
    } else if (line.kind !== "snapshot") {
      counts.transactions += replayStep(line, { ...standing, verifier, publishBlock: () => undefined });
      if (line.kind === "end") counts.blocks += 1;
    } else {
      const { height, timeMs } = maker.head();
      const stateHash = stateHashOf(saveState(state, timeMs));
      if (height !== line.height || stateHash !== line.stateHash) {
        throw new StoreError("diverged", `the state after block ${line.height} has another hash than was logged`);
      }
      counts.snapshots += 1;
    }
  }
  const { height, stateRoot } = maker.head();
  return { chainId: genesis.config.chainId, height, stateRoot, ...counts };
}
