// Starts a chain from its disk: loads the newest snapshot and replays the log after it. An incomplete last line is cut off; the chain
// continues after the last written step, inside the open block if there was one.

import { textOf } from "../../accounts/table.ts";
import type { Block } from "../block.ts";
import { type BlockMaker, type BlockMakerOptions, createBlockMaker, type EventBatch } from "../block-maker.ts";
import type { ChainIndex } from "../chain-index.ts";
import { backstopOf, type Genesis, LOG_VERSION, makeGenesis } from "../genesis.ts";
import { type ChainState, createState } from "../state.ts";
import { type BlockLog, LOG_NAME, openBlockLog } from "./block-log.ts";
import { type Disk, StoreError } from "./disk.ts";
import { replayStep, trustingVerifier } from "./replay.ts";
import { readSnapshot } from "./snapshots.ts";

/** A chain after some step of its log. */
export type Standing = { readonly genesis: Genesis; readonly state: ChainState; readonly maker: BlockMaker };

export type StandingModules = {
  readonly indexes: readonly ChainIndex[];
  readonly publish: (batch: EventBatch) => void;
  readonly publishBlock: (block: Block) => void;
};

/** A chain at block 0. `areNamed`: see `BlockMakerOptions`. */
export function standAtGenesis(
  genesis: Genesis,
  publish: StandingModules["publish"],
  { areNamed }: Pick<BlockMakerOptions, "areNamed"> = { areNamed: true },
): Standing {
  const { state, head } = makeGenesis(genesis);
  return {
    genesis,
    state,
    maker: createBlockMaker({ head, ...genesis.config, areNamed }, { state, publish }),
  };
}

/**
 * The chain on the disk, or a new chain from `expected`, written to it. Throws StoreError if the disk's chain has another genesis, is
 * damaged, or does not replay to what was logged.
 */
export function resume(
  expected: Genesis,
  disk: Disk,
  modules: StandingModules,
): { readonly log: BlockLog; readonly standing: Standing } {
  const log = openBlockLog(disk);
  const genesis = readGenesis(log);
  if (genesis === undefined) {
    const standing = standAtGenesis(expected, modules.publish);
    log.appendGenesis(expected, standing.maker.head());
    return { log, standing };
  }
  checkSame(expected, genesis);
  const { standing, logBytes } = standAtSnapshot(genesis, disk, log, modules);
  for (const { at, line } of log.lines(logBytes)) {
    if (line.kind === "genesis" || line.kind === "snapshot") continue;
    try {
      replayStep(line, { ...standing, verifier: trustingVerifier, publishBlock: modules.publishBlock });
    } catch (cause) {
      if (cause instanceof StoreError && cause.code === "threw") throw unreplayable(cause, at);
      throw cause;
    }
  }
  return { log, standing };
}

/**
 * The log should not contain a step that throws: either another version of the program wrote it, or the process was killed while the step
 * threw.
 */
function unreplayable(cause: StoreError, at: number): StoreError {
  const remedy = "start the version of quoin that wrote it, or give up this and all that came after it";
  return new StoreError("threw", `${cause.message}: ${remedy} (truncate -s ${at} ${LOG_NAME})`, { cause });
}

/** Undefined if the log is empty or its first line is incomplete. Throws StoreError if another version wrote it. */
export function readGenesis(log: BlockLog): Genesis | undefined {
  for (const { line } of log.lines(0)) {
    if (line.kind !== "genesis") throw new StoreError("damaged", "the block log does not begin with a genesis");
    if (line.genesis.version === LOG_VERSION) return line.genesis;
    const what = `the data directory holds a chain of another version of quoin (log version ${line.genesis.version}, this one reads`;
    throw new StoreError(
      "other_version",
      `${what} ${LOG_VERSION}): give --data-dir a new folder, or go on with that version`,
    );
  }
  return undefined;
}

function standAtSnapshot(genesis: Genesis, disk: Disk, log: BlockLog, { indexes, publish }: StandingModules) {
  const snapshot = readSnapshot(disk, log.size());
  if (snapshot === undefined) return { standing: standAtGenesis(genesis, publish), logBytes: 0 };
  const { head, logBytes } = snapshot;
  const state = createState(genesis.config, backstopOf(genesis), snapshot.state);
  for (const index of indexes) {
    const saved = snapshot.indexes[index.name];
    if (saved !== undefined) index.load(saved);
  }
  const maker = createBlockMaker({ head, ...genesis.config, areNamed: true }, { state, publish });
  return { standing: { genesis, state, maker }, logBytes };
}

/**
 * Throws StoreError `other_configuration` if the two differ. Ignores the start time, which is the disk's own, and the first prints, which
 * follow from the configuration.
 */
export function checkSame(expected: Genesis, found: Genesis): void {
  const keys = new Set([...Object.keys(expected.config), ...Object.keys(found.config)]) as Set<keyof Genesis["config"]>;
  const differing: string[] = [...keys].filter((key) => textOf(expected.config[key]) !== textOf(found.config[key]));
  if (textOf(expected.accounts) !== textOf(found.accounts) && differing.length === 0)
    differing.push("accounts of the crowd");
  if (differing.length === 0) return;
  const what = differing.join(", ");
  throw new StoreError("other_configuration", `the data directory holds the chain of another configuration: ${what}`);
}
