// Block 0: the accounts of the configuration and of the crowd with their balances and agents, and the first print of every market.

import { type AccountId, accountId, native } from "../../domain/units.ts";
import { approveAgent } from "../accounts/agents.ts";
import { newAccount, systemAccount } from "../accounts/registry.ts";
import type { AccountConfig, DevnetConfig } from "../config/config.ts";
import type { Context, Refusal } from "../engine/calls.ts";
import type { Receipt } from "../event.ts";
import { type Block, NO_HASH, sealBlock, transactionsHashOf } from "./block.ts";
import type { DuePrint } from "./sources.ts";
import { type ChainState, createState } from "./state.ts";

/**
 * Version of the log's lines: 1 wrote a block when it ended, 2 writes each step before it runs, 3 writes transactions that arrived together
 * as one step.
 */
export const LOG_VERSION = 3;

/** Everything that determines a chain, apart from its input. */
export type Genesis = {
  readonly version: typeof LOG_VERSION;
  /** Without credentials and user names: they are not part of the state, and secrets must not be on a disk. */
  readonly config: DevnetConfig;
  /** Accounts of the configuration and of the crowd. */
  readonly accounts: readonly AccountConfig[];
  readonly startMs: number;
  readonly prints: readonly DuePrint[];
};

export const genesisOf = (of: Omit<Genesis, "version">): Genesis => ({
  version: LOG_VERSION,
  ...of,
  config: { ...of.config, apiKeys: [], sessions: [], users: [] },
});

/** Account of the backstop: the lowest number that no configured account has. */
export function backstopOf({ accounts }: Pick<Genesis, "accounts">): AccountId {
  const taken = new Set<bigint>(accounts.map((account) => account.accountId));
  let free = 1n;
  while (taken.has(free)) free += 1n;
  return accountId(free);
}

/**
 * The state at block 0 and the block itself. Throws RangeError if the configuration contradicts itself: a duplicate id, or a master account
 * that is not a master.
 */
export function makeGenesis(genesis: Genesis): { readonly state: ChainState; readonly head: Block } {
  const { config, accounts, startMs, prints } = genesis;
  const state = createState(config, backstopOf(genesis));
  const ctx: Context = { height: 0, timeMs: startMs, emittedMs: startMs, txHash: NO_HASH };
  state.registry.put(systemAccount(state.backstop, startMs));
  for (const account of accounts) if (account.masterAccountId === null) openConfigured(account, state, ctx);
  for (const account of accounts) if (account.masterAccountId !== null) openConfigured(account, state, ctx);
  const unprinted = new Set(config.markets.map((market) => market.marketId));
  for (const { marketId, price, validForMs } of prints) {
    const receipt = state.engine.publishPrint(marketId, price, startMs + validForMs, ctx);
    passOrThrow(receipt, `first print of market ${marketId}`);
    unprinted.delete(marketId);
  }
  if (unprinted.size > 0) throw new RangeError(`markets without a first print: ${[...unprinted].join(", ")}`);
  return { state, head: blockZero(state, startMs) };
}

function blockZero(state: ChainState, timeMs: number): Block {
  return sealBlock({
    height: 0,
    timeMs,
    parentHash: NO_HASH,
    transactionsHash: transactionsHashOf({ before: [], prints: [], entries: [] }),
    stateRoot: state.root.seal(),
    transactions: [],
  });
}

function openConfigured(account: AccountConfig, state: ChainState, ctx: Context): void {
  const { engine, registry } = state;
  const { accountId: id, masterAccountId, volume30d, owner } = account;
  const what = `account ${id}`;
  const master = masterAccountId === null ? null : registry.account(masterAccountId);
  if (master === undefined || (master !== null && master.kind !== "personal")) {
    throw new RangeError(`${what}: its master ${masterAccountId} is no master account`);
  }
  if (registry.account(id) !== undefined) throw new RangeError(`${what} is there twice`);
  passOrThrow(engine.openAccount({ accountId: id, masterAccountId, volume30d }, ctx), what);
  if (account.collateral > 0n) {
    passOrThrow(engine.post({ from: "custody", to: id, amount: account.collateral }, ctx), what);
  }
  const kind = master === null ? "personal" : "subaccount";
  const row = { accountId: id, owner, masterAccountId, kind, createdAtMs: ctx.timeMs } as const;
  registry.put(newAccount({ ...row, native: native(account.native) }));
  for (const agent of account.agents) {
    const current = registry.account(id);
    if (current !== undefined) passOrThrow(approveAgent(registry, current, agent), what);
  }
}

function passOrThrow(end: Refusal | Receipt | null, what: string): void {
  if (end === null || ("status" in end && end.status === "success")) return;
  throw new RangeError(`${what}: ${end.error}`);
}
