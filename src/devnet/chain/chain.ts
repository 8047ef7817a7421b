// The whole exchange behind one door: bodies and control acts go in, answers, events and blocks come out, reads at any time.

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
import { createDesk, type TrustedTransaction } from "./desk.ts";
import { genesisOf } from "./genesis.ts";
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
   * One envelope of POST /v1/tx, bytes as received. Real clock: executes now, into the open block. Manual clock: answered
   * when the block is made that the next `advance` asks for. Never rejects its promise.
   */
  readonly submit: (body: Uint8Array) => Promise<Answer>;
  /**
   * What `submit` does after parsing and signature, without them. Returns the answer where it is known now: with the real clock, unless
   * transactions share their turn (`atTurnEnd`). Otherwise null, and `later` gets it once the turn ends or the block is made. Throws what
   * the exchange throws.
   */
  readonly transact: (transaction: TrustedTransaction, later: (answer: Answer) => void) => Answer | null;
  /** One unsigned body of POST /tx/sign-and-submit: the enclave signs it for the credential's owner, then as `submit`. */
  readonly submitHosted: (credential: Credential, body: Uint8Array) => Promise<Answer>;
  /** An action of a counterparty that lives outside of the chain, in the block that is open; executed like one of the crowd. */
  readonly act: (action: CrowdAction) => Receipt;
  /**
   * Manual clock only: moves chain time by `ms` (a whole number, 0 or more), then makes one block. Throws RangeError otherwise,
   * StoreError when the disk fails.
   */
  readonly advance: (ms: number) => Promise<Block>;
  /** All of it as one text, for `resumeFrom`; to be asked by a listener of `onBlock`, or after `close`. */
  readonly save: () => string;
  /** Height, root and time of the last finished block. */
  readonly head: () => Block;
  /** Chain time: of the open block, or of the last one while none is open. */
  readonly timeMs: () => number;
  /** Batches without events are not published. Listeners must neither throw nor call back into the chain. Returns the unsubscribe. */
  readonly onEvents: (listener: (batch: EventBatch) => void) => () => void;
  readonly onBlock: (listener: (block: Block) => void) => () => void;
  /** Throws InvariantError unless all books balance. Walks over everything: for tests and drills. */
  readonly audit: () => void;
  /** Real clock: opens block 1 and starts the block timer. Manual clock: `submit` works from now on. */
  readonly start: () => void;
  /**
   * Stops the timer, finishes the open block and answers what is still pending. Throws StoreError when the disk fails: what was
   * answered is on it all the same.
   */
  readonly close: () => Promise<void>;
};

export type ChainOptions = {
  readonly config: DevnetConfig;
  /** Log between two snapshots of the state, where there is a disk. */
  readonly snapshotEveryBytes?: number;
  /**
   * Whether somebody may ask for blocks and for what was long ago. Without: blocks have neither names nor memory, no index but the recent
   * trades is kept, and the rest is the same. Not for a chain on a disk.
   */
  readonly isExplored?: boolean;
  /** What `save` returned, for a chain without a disk. */
  readonly resumeFrom?: string;
};

export type ChainModules = {
  readonly clock: Clock;
  readonly verifier: Verifier;
  readonly prints: PrintSource;
  readonly crowd?: Crowd;
  /** What hosted keys are made of. */
  readonly enclave: Pick<EnclaveModules, "entropy" | "signerOf">;
  /** Where the chain is kept and resumed from; closed with it. Without a disk the chain lives only in memory. */
  readonly disk?: Disk;
  /** Runs it once all that has come in has come in, so that transactions share their costs; left out: each executes as it comes. */
  readonly atTurnEnd?: (run: () => void) => void;
  /** Receive every event since genesis, those before this start included. */
  readonly indexes?: readonly ChainIndex[];
  /** Takes a sentence when the disk begins to fail and when it works again. */
  readonly log: (message: string, facts: Facts) => void;
};

/**
 * The chain of a configuration: at genesis (block 0, every market printed once), or where its disk left off. Nothing moves before
 * `start` or `advance`. Throws RangeError on a configuration that contradicts itself, StoreError on a disk or
 * a text that it cannot resume from.
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
  const desk = createDesk(config, { state, maker, journal, verifier, nowMs, atTurnEnd });
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
    submit: desk.submit,
    transact: desk.transact,
    async submitHosted(credential, body) {
      const signed = enclave.sign(credential, body);
      return typeof signed === "string" ? desk.submit(Buffer.from(signed)) : signed;
    },
    act: actNow,
    advance: async (ms) => pace.advance(ms, desk.executeWaiting),
    save: () => saveChain(standing.genesis, maker.head(), state),
    head: maker.head,
    timeMs,
    onEvents: eventListeners.add,
    onBlock: blockListeners.add,
    audit: () => auditState(state),
    start() {
      desk.open(config.clock.mode === "manual" ? "pending" : "now");
      pace.start();
    },
    async close() {
      desk.close();
      pace.stop();
      journal.close();
    },
  };
}

/** An act of the operator while the disk fails. */
const unkept: Receipt = { status: "failed", code: "UNWRITABLE", error: UNWRITABLE };

const noCounterparty: Receipt = {
  status: "failed",
  code: "NoCounterparty",
  error: "the account does not exist, or no block is open",
};

/** Where the chain goes on from. */
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

/** How long the prints of a market are valid, for one that the operator publishes. */
function validForMs(config: DevnetConfig, marketId: MarketId): number {
  const market = config.markets.find((each) => each.marketId === marketId);
  return Math.round((market?.oracle.validForSecs ?? 0) * 1000);
}

/**
 * The books balance: all USDC in the engine sums to zero, and the accounts' ledgers agree with the engine on money on its way in and
 * out. Throws InvariantError where they do not. Walks over everything: for tests and drills.
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
