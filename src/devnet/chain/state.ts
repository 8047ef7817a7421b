// Everything that a block changes and the state root covers: the engine, the account tables, the nonces. Genesis and resume use the same
// constructor, so both have the same parts.

import { type AccountId, usdc } from "../../domain/units.ts";
import type { TreasuryConfig } from "../../wire/rest/exchange.ts";
import { type Bridge, type BridgeUsage, createBridge, createBridgeUsage } from "../accounts/bridge.ts";
import { type Budget, createBudget } from "../accounts/budget.ts";
import { familyVolume } from "../accounts/families.ts";
import { createHostedKeys, type HostedKeys } from "../accounts/hosted-keys.ts";
import { createInvites, type Invites } from "../accounts/invites.ts";
import { createRegistry, type Registry } from "../accounts/registry.ts";
import { createStaking, type Staking } from "../accounts/staking.ts";
import { createTables, type Tables } from "../accounts/table.ts";
import { treasuryOf } from "../accounts/treasury.ts";
import { createVaults, type Vaults } from "../accounts/vaults.ts";
import { createWithdrawals, type Withdrawals } from "../accounts/withdrawals.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { MarketSpec } from "../engine/calls.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { EngineSnapshot } from "../engine/persistence/snapshot.ts";
import type { NonceMemory } from "./admission/nonce-window.ts";
import { createNonces, type Nonces } from "./admission/nonces.ts";
import { createStateRoot, type StateRoot } from "./state-root.ts";

export type ChainState = {
  readonly engine: Engine;
  readonly tables: Tables;
  readonly registry: Registry;
  readonly bridge: Bridge;
  readonly bridgeUsage: BridgeUsage;
  readonly withdrawals: Withdrawals;
  readonly invites: Invites;
  readonly vaults: Vaults;
  readonly staking: Staking;
  readonly budget: Budget;
  readonly hostedKeys: HostedKeys;
  readonly nonces: Nonces;
  readonly treasury: TreasuryConfig;
  readonly root: StateRoot;
  readonly backstop: AccountId;
};

/** The whole state as plain values, with its root. */
export type StateSnapshot = {
  readonly root: string;
  readonly engine: EngineSnapshot;
  readonly tables: string;
  readonly nonces: readonly (readonly [string, NonceMemory])[];
};

/** The state between two blocks. `blockMs`: time of the previous block. */
export const saveState = ({ root, engine, tables, nonces }: ChainState, blockMs: number): StateSnapshot => ({
  root: root.seal(),
  engine: engine.snapshot(),
  tables: tables.save(),
  nonces: nonces.save(blockMs),
});

export function createState(config: DevnetConfig, backstop: AccountId, resumeFrom?: StateSnapshot): ChainState {
  const root = createStateRoot(resumeFrom?.root);
  const record = root.recordText;
  const tables = createTables(record);
  const registry = createRegistry(tables);
  const treasury = treasuryOf(config);
  const engine = createEngine({
    markets: config.markets.map((market): MarketSpec => ({ ...market, backstopAccountId: backstop })),
    feeTiers: config.feeTiers,
    openOrderCap: config.openOrderCap,
    lastOrderId: config.lastOrderId ?? 0,
    record: root.record,
    ...(resumeFrom === undefined ? {} : { resumeFrom: resumeFrom.engine }),
  });
  const usage = createBridgeUsage(tables, config.bridge);
  const bridge = createBridge({ tables, registry, engine, usage, limits: config.bridge });
  const withdrawals = createWithdrawals({ tables, registry, engine, usage, limits: config.bridge });
  const invites = createInvites(registry, (master) => familyVolume(master, { registry, engine }));
  const vaults = createVaults({ tables, registry, engine, treasury });
  const staking = createStaking(tables, registry);
  const traded = (id: AccountId) => engine.account(id)?.lifetimeVolume ?? usdc(0n);
  const budget = createBudget(config.throttle, tables, traded);
  const hostedKeys = createHostedKeys(tables);
  const nonces = createNonces(record);
  if (resumeFrom !== undefined) {
    tables.load(resumeFrom.tables);
    nonces.load(resumeFrom.nonces);
  }
  return {
    engine,
    tables,
    registry,
    bridge,
    bridgeUsage: usage,
    withdrawals,
    invites,
    vaults,
    staking,
    budget,
    hostedKeys,
    nonces,
    treasury,
    root,
    backstop,
  };
}
