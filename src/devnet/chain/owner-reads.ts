// Reads about owners, their deposits, withdrawals and transfers, and possible recipients (S2.7, S2.9, S2.11, S4.1, S4.2, S4.4).

import { type AccountId, type Native, native, type Usdc } from "../../domain/units.ts";
import type { BridgeState, StakeValidator, StakingState, TokenRegistry } from "../../wire/rest/exchange.ts";
import type { Delegation, InviteState, OwnerAssets, RecipientKind, Vault } from "../../wire/rest/owners.ts";
import { bridgeLimit } from "../accounts/bridge.ts";
import { ownerAssets, sumOf } from "../accounts/owner-assets.ts";
import { findRecipient, type RecipientAnswer } from "../accounts/recipients.ts";
import { stakeValidators, UNBONDING_SECS, type Unbonding } from "../accounts/staking.ts";
import { NATIVE, tokenRegistry, USDC } from "../accounts/tokens.ts";
import { WITHDRAWAL_WINDOW_SECS, type Withdrawal } from "../accounts/withdrawals.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { ChainState } from "./state.ts";
import type { TransferHistory } from "./transfer-history.ts";

export type WithdrawalState = Withdrawal & { readonly status: "Pending" | "ReadyToClaim"; readonly readyAtMs: number };

export type StakingBalance = {
  /** Liquid NATIVE of the personal master account; before there is one, the unallocated NATIVE. */
  readonly available: Native;
  readonly staked: Native;
  readonly unbonding: Native;
};

/** `owner`: always 64 lowercase hex characters. */
export type OwnerReads = {
  /** Attested USDC of an owner key that no account has claimed yet. */
  readonly unclaimed: (owner: string) => Usdc;
  readonly tokens: () => TokenRegistry;
  /** Without the amounts that wait for a single owner. */
  readonly bridge: () => Omit<BridgeState, "owner" | "unclaimedUsdc">;
  readonly withdrawals: (account: AccountId) => readonly WithdrawalState[];
  readonly assets: (owner: string) => OwnerAssets;
  readonly invites: (account: AccountId) => InviteState | undefined;
  readonly recipient: (kind: RecipientKind, value: string) => RecipientAnswer;
  /** Undefined if the cursor was never issued. */
  readonly transfers: TransferHistory["page"];
  readonly vault: (account: AccountId) => Vault | undefined;
  readonly stakeValidators: () => readonly StakeValidator[];
  readonly staking: () => StakingState;
  readonly stakingBalance: (owner: string) => StakingBalance;
  /** The entries that `stakingBalance` sums up, next to be released first. */
  readonly unbonding: (owner: string) => readonly Unbonding[];
  readonly delegations: (owner: string) => readonly Delegation[];
};

export type OwnerReadsModules = {
  readonly state: ChainState;
  readonly transfers: TransferHistory;
  readonly timeMs: () => number;
  readonly config: Pick<DevnetConfig, "users" | "bridge">;
};

const DAY_MS = 86_400_000;

export function createOwnerReads({ state, transfers, timeMs, config }: OwnerReadsModules): OwnerReads {
  const { registry, bridge, bridgeUsage, withdrawals, staking } = state;

  return {
    unclaimed: bridge.unclaimed,
    tokens: () => tokenRegistry(config.bridge),
    bridge: () => ({
      depositsEnabled: config.bridge.deposits.enabled,
      withdrawalsEnabled: config.bridge.withdrawals.enabled,
      withdrawalWindowSecs: WITHDRAWAL_WINDOW_SECS,
      tokens: [USDC, NATIVE].map((tokenId) => ({
        tokenId,
        depositLimit: bridgeLimit(config.bridge, "deposit", tokenId),
        depositUsed: bridgeUsage.used("deposit", tokenId, timeMs()),
        withdrawalLimit: bridgeLimit(config.bridge, "withdrawal", tokenId),
        withdrawalUsed: bridgeUsage.used("withdrawal", tokenId, timeMs()),
        pendingDeposits: bridge.waiting(tokenId),
        pendingWithdrawals: withdrawals.total(tokenId),
      })),
    }),
    withdrawals: (account) =>
      withdrawals.of(account).map((each) => ({
        ...each,
        status: withdrawals.isReady(each, timeMs()) ? "ReadyToClaim" : "Pending",
        readyAtMs: each.requestedAtMs + WITHDRAWAL_WINDOW_SECS * 1000,
      })),
    assets: (owner) => ownerAssets(owner, state),
    invites: state.invites.state,
    recipient: (kind, value) => findRecipient(kind, value, { registry, users: config.users }),
    transfers: transfers.page,
    vault: state.vaults.vault,
    stakeValidators: () => stakeValidators.map((each) => ({ ...each, stake: staking.staked(each.name) })),
    staking: () => ({
      totalStaked: native(stakeValidators.reduce((sum, { name }) => sum + staking.staked(name), 0n)),
      activeValidators: stakeValidators.length,
      epoch: Math.floor(timeMs() / DAY_MS),
      epochEndsAtMs: (Math.floor(timeMs() / DAY_MS) + 1) * DAY_MS,
      unbondingSecs: UNBONDING_SECS,
      apyBps: 0,
    }),
    stakingBalance(owner) {
      const master = registry.personal(owner);
      return {
        available: master === undefined ? bridge.unallocated(owner) : master.native,
        staked: sumOf(staking.delegations(owner)),
        unbonding: sumOf(staking.unbonding(owner)),
      };
    },
    unbonding: staking.unbonding,
    delegations: staking.delegations,
  };
}
