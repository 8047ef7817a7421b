// The whole exchange behind one interface: submit transactions and control acts, receive answers, events and blocks, read at any time.

import type { MarketId } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Verifier } from "../../wire/signing.ts";
import type { Credential } from "../accounts/hosted-keys.ts";
import { USDC } from "../accounts/tokens.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { Receipt } from "../event.ts";
import { type Answer, UNWRITABLE } from "./admission/answer.ts";
import { createEnclave, type EnclaveModules } from "./admission/enclave.ts";
import type { Block } from "./block.ts";
import type { EventBatch } from "./block-maker.ts";
import type { ChainIndex } from "./chain-index.ts";
import { type ChainControl, type ControlAct, createControl } from "./control.ts";
import { genesisOf } from "./genesis.ts";
import { createIntake, type TrustedTransaction } from "./intake.ts";
import { createListeners } from "./listeners.ts";
import type { Disk } from "./log/disk.ts";
import { noJournal, openJournal, SNAPSHOT_EVERY_BYTES } from "./log/journal.ts";
import { resume, type StandingModules, standAtGenesis } from "./log/resume.ts";
import { saveChain, standAtSaved } from "./log/saved-chain.ts";
import { createOwnerReads } from "./owner-reads.ts";
import { createPace } from "./pace.ts";
import { type ChainReads, createReads } from "./reads.ts";
import { createRecentBlocks } from "./recent-blocks.ts";
import { createRecentTrades } from "./recent-trades.ts";
import type { Crowd, CrowdAction, PrintSource } from "./sources.ts";
import type { ChainState } from "./state.ts";
import { createTransferHistory } from "./transfer-history.ts";

export type Chain = {
  readonly reads: ChainReads;
  readonly control: ChainControl;
  /**
   * Submits one envelope of POST /v1/tx, bytes as received. Real clock: executes now, in the open block. Manual clock: answers when the
   * next `advance` makes its block. The promise never rejects.
   */
  readonly submit: (body: Uint8Array) => Promise<Answer>;
  /**
   * Like `submit`, but without parsing and signature check. Returns the answer if it is known at once: with the real clock, unless
   * transactions share their turn (`atTurnEnd`). Otherwise returns null, and `later` gets the answer at the end of the turn or when the
   * block is made. Throws what the exchange throws.
   */
  readonly transact: (transaction: TrustedTransaction, later: (answer: Answer) => void) => Answer | null;
  /** Submits one unsigned body of POST /tx/sign-and-submit: the enclave signs it for the credential's owner, then as `submit`. */
  readonly submitHosted: (credential: Credential, body: Uint8Array) => Promise<Answer>;
  /** Executes an action of a counterparty outside the chain in the open block, like an action of the crowd. */
  readonly act: (action: CrowdAction) => Receipt;
  /**
   * Manual clock only: moves chain time by `ms` (a whole number, 0 or more), then makes one block. Throws RangeError otherwise,
   * StoreError when the disk fails.
   */
  readonly advance: (ms: number) => Promise<Block>;
  /** The whole chain as one text, for `resumeFrom`; call it from a listener of `onBlock`, or after `close`. */
  readonly save: () => string;
  /** Height, root and time of the last finished block. */
  readonly head: () => Block;
  /** Chain time: time of the open block, or of the last block if none is open. */
  readonly timeMs: () => number;
  /** Empty batches are not published. Listeners must neither throw nor call back into the chain. Returns the unsubscribe function. */
  readonly onEvents: (listener: (batch: EventBatch) => void) => () => void;
  readonly onBlock: (listener: (block: Block) => void) => () => void;
  /** Throws InvariantError unless all ledgers balance. Reads the whole state: for tests and drills. */
  readonly audit: () => void;
  /** Real clock: opens block 1 and starts the block timer. Manual clock: enables `submit`. */
  readonly start: () => void;
  /**
   * Stops the timer, finishes the open block and answers everything pending. Throws StoreError if the disk fails; everything already
   * answered is on the disk nevertheless.
   */
  readonly close: () => Promise<void>;
};

export type ChainOptions = {
  readonly config: DevnetConfig;
  /** Log bytes between two snapshots of the state, with a disk. */
  readonly snapshotEveryBytes?: number;
  /**
   * False if no one will ask for blocks or old history: blocks then have no names and are not kept, and the only index is recent trades.
   * Everything else is the same. Not for a chain with a disk.
   */
  readonly isExplored?: boolean;
  /** Result of `save`, for a chain without a disk. */
  readonly resumeFrom?: string;
};

export type ChainModules = {
  readonly clock: Clock;
  readonly verifier: Verifier;
  readonly prints: PrintSource;
  readonly crowd?: Crowd;
  /** Source of the hosted keys. */
  readonly enclave: Pick<EnclaveModules, "entropy" | "signerOf">;
  /** Where the chain is stored and resumed from; closed with the chain. Without a disk the chain is only in memory. */
  readonly disk?: Disk;
  /** Calls `run` after all input of this turn has arrived, so that transactions share their costs. Without it, each executes on arrival. */
  readonly atTurnEnd?: (run: () => void) => void;
  /** Receive every event since genesis, including those before this start. */
  readonly indexes?: readonly ChainIndex[];
  /** Logs when the disk begins to fail and when it works again. */
  readonly log: (message: string, facts: Facts) => void;
};

/**
 * Creates the chain of a configuration: at genesis (block 0, every market printed once), or from its disk. Nothing moves before `start` or
 * `advance`. Throws RangeError if the configuration contradicts itself, StoreError if it cannot resume from the disk or text.
 */
export function createChain(options: ChainOptions, modules: ChainModules): Chain {
  const { config, isExplored = true } = options;
  const { clock, crowd } = modules;
  const eventListeners = createListeners<EventBatch>();
  const blockListeners = createListeners<Block>();
  const trades = createRecentTrades();
  const blocks = createRecentBlocks();
  const transfers = createTransferHistory();
  const indexes = [
    trades,
    ...(isExplored ? [blocks, transfers] : []),
    ...(crowd?.memory === undefined ? [] : [crowd.memory]),
    ...(isExplored ? (modules.indexes ?? []) : []),
  ];
  for (const index of indexes) {
    eventListeners.add(index.add);
    if (index.addBlock !== undefined) blockListeners.add(index.addBlock);
  }
  const { publish: publishBlock } = blockListeners;
  const { standing, journal } = stand(options, modules, { indexes, publish: eventListeners.publish, publishBlock });
  const { state, maker } = standing;

  const timeMs = () => maker.now().timeMs;
  const owners = createOwnerReads({ state, transfers, timeMs, config });
  const reads = createReads({ state, trades, blocks, owners, head: maker.head, chainId: config.chainId });
  const sources = crowd === undefined ? { prints: modules.prints } : { prints: modules.prints, crowd };
  const pace = createPace(config, { clock, state, maker, reads, journal, publishBlock, ...sources });
  const nowMs = config.clock.mode === "manual" ? timeMs : () => Math.max(clock.wallMs(), timeMs());
  const { verifier, atTurnEnd = (run) => run() } = modules;
  const intake = createIntake(config, { state, maker, journal, verifier, nowMs, atTurnEnd });
  function perform(act: ControlAct): Receipt {
    let receipt = unkept;
    const run = (): void => {
      receipt = maker.control(act);
    };
    journal.take(() => ({ kind: "control", act }), [run]);
    return receipt;
  }
  function actNow(action: CrowdAction): Receipt {
    const account = state.registry.account(action.accountId);
    if (account === undefined || !maker.isOpen()) return noCounterparty;
    let receipt = unkept;
    const run = (): void => {
      receipt = maker.crowd(account, action.transaction);
    };
    journal.take(() => ({ kind: "crowd", actions: [action] }), [run]);
    return receipt;
  }
  const link = (pubkey: string, owner: string) => perform({ act: "linkHostedKey", pubkey, owner });
  const enclave = createEnclave(config.chainId, { ...modules.enclave, link });

  return {
    reads,
    control: createControl(perform, (market) => validForMs(config, market)),
    submit: intake.submit,
    transact: intake.transact,
    async submitHosted(credential, body) {
      const signed = enclave.sign(credential, body);
      return typeof signed === "string" ? intake.submit(Buffer.from(signed)) : signed;
    },
    act: actNow,
    advance: async (ms) => pace.advance(ms, intake.executeWaiting),
    save: () => saveChain(standing.genesis, maker.head(), state),
    head: maker.head,
    timeMs,
    onEvents: eventListeners.add,
    onBlock: blockListeners.add,
    audit: () => auditState(state),
    start() {
      intake.open(config.clock.mode === "manual" ? "pending" : "now");
      pace.start();
    },
    async close() {
      intake.close();
      pace.stop();
      journal.close();
    },
  };
}

/** Answer to an operator's act while the disk fails. */
const unkept: Receipt = { status: "failed", code: "UNWRITABLE", error: UNWRITABLE };

const noCounterparty: Receipt = {
  status: "failed",
  code: "NoCounterparty",
  error: "the account does not exist, or no block is open",
};

/** The state from which the chain continues. */
function stand(options: ChainOptions, modules: ChainModules, reading: StandingModules) {
  const { config, snapshotEveryBytes = SNAPSHOT_EVERY_BYTES, isExplored: areNamed = true } = options;
  const { clock, crowd, prints, disk } = modules;
  const genesis = genesisOf({
    config,
    accounts: [...config.accounts, ...(crowd?.accounts ?? [])],
    startMs: config.clock.mode === "manual" ? config.clock.startMs : clock.wallMs(),
    prints: prints.printsDue(0, 0),
  });
  if (disk === undefined) {
    const { resumeFrom } = options;
    const standing =
      resumeFrom === undefined
        ? standAtGenesis(genesis, reading.publish, { areNamed })
        : standAtSaved(resumeFrom, genesis, reading, areNamed);
    return { standing, journal: noJournal };
  }
  assert(areNamed, "a log names its blocks");
  const { log, standing } = resume(genesis, disk, reading);
  const { state, maker } = standing;
  const { indexes } = reading;
  const journal = openJournal(snapshotEveryBytes, { disk, log, state, maker, indexes, warn: modules.log });
  return { standing, journal };
}

/** How long a print of the market stays valid, ms; for prints that the operator publishes. */
function validForMs(config: DevnetConfig, marketId: MarketId): number {
  const market = config.markets.find((each) => each.marketId === marketId);
  return Math.round((market?.oracle.validForSecs ?? 0) * 1000);
}

/**
 * Checks the ledgers: all USDC in the engine sums to zero, and deposits and withdrawals agree with the engine. Throws InvariantError if
 * not. Reads the whole state: for tests and drills.
 */
function auditState({ engine, bridge, withdrawals }: ChainState): void {
  engine.auditBalances();
  const unclaimed = engine.systemBalance("unclaimed");
  assert(bridge.waiting(USDC) === unclaimed, `unclaimed: owners have ${bridge.waiting(USDC)}, the engine ${unclaimed}`);
  const leaving = engine.systemBalance("withdrawals");
  assert(
    withdrawals.total(USDC) === leaving,
    `withdrawals: requests are ${withdrawals.total(USDC)}, the engine has ${leaving}`,
  );
}
