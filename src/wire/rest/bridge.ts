// Bridge state (S4.1): snake_case. The interface describes its content and names two fields: owner and unclaimed_usdc. The others are the
// devnet's names.

import type { Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

/** One token of the bridge, in its base units. */
export type BridgeToken = {
  readonly tokenId: number;
  readonly depositLimit: bigint;
  readonly depositUsed: bigint;
  readonly withdrawalLimit: bigint;
  readonly withdrawalUsed: bigint;
  /** Attested, and awaiting an account. */
  readonly pendingDeposits: bigint;
  /** Requested, and not claimed yet. */
  readonly pendingWithdrawals: bigint;
};

export type BridgeState = {
  readonly depositsEnabled: boolean;
  readonly withdrawalsEnabled: boolean;
  readonly withdrawalWindowSecs: number;
  readonly tokens: readonly BridgeToken[];
  /** Null where the state was asked for without an owner. */
  readonly owner: BridgeOwner | null;
};

export type BridgeOwner = {
  /** 64 lowercase hex characters. */
  readonly owner: string;
  /** Attested USDC awaiting account creation. */
  readonly unclaimedUsdc: Usdc;
};

export function encodeBridgeState(state: BridgeState): Json {
  return {
    deposits_enabled: state.depositsEnabled,
    withdrawals_enabled: state.withdrawalsEnabled,
    withdrawal_window_secs: state.withdrawalWindowSecs,
    tokens: state.tokens.map((token) => ({
      token_id: token.tokenId,
      deposit_limit: String(token.depositLimit),
      deposit_used: String(token.depositUsed),
      withdrawal_limit: String(token.withdrawalLimit),
      withdrawal_used: String(token.withdrawalUsed),
      pending_deposits: String(token.pendingDeposits),
      pending_withdrawals: String(token.pendingWithdrawals),
    })),
    ...(state.owner === null ? {} : { owner: state.owner.owner, unclaimed_usdc: String(state.owner.unclaimedUsdc) }),
  };
}
