// Bridge state (S4.1): snake_case. The interface names what it tells, and two fields: owner and unclaimed_usdc. The others are the
// devnet's names.

import { type Usdc, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { type Fields, objectOf } from "../strict.ts";
import { bool, integer, list, maybe, type Names, natural, publicKey } from "../tolerant.ts";

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

/** What is not told is not available. Throws WireError. */
export function decodeBridgeState(json: unknown): BridgeState {
  const fields = objectOf(json, "");
  return {
    depositsEnabled: maybe(fields, "deposits_enabled", bool) ?? false,
    withdrawalsEnabled: maybe(fields, "withdrawals_enabled", bool) ?? false,
    withdrawalWindowSecs: maybe(fields, "withdrawal_window_secs", integer) ?? WITHDRAWAL_WINDOW_SECS,
    tokens: maybe(fields, "tokens", (of, names) => list(of, names, readToken)) ?? [],
    owner: maybe(fields, "owner", publicKey) === null ? null : decodeBridgeOwner(fields),
  };
}

/** S8. */
const WITHDRAWAL_WINDOW_SECS = 86_400;

/** The part that CreateFundedAccount's flow waits for, which is documented. Throws WireError. */
export function decodeBridgeOwner(json: unknown): BridgeOwner {
  const fields = objectOf(json, "");
  return { owner: publicKey(fields, "owner"), unclaimedUsdc: usdc(natural(fields, "unclaimed_usdc")) };
}

function readToken(item: unknown): BridgeToken {
  const fields = objectOf(item, "");
  return {
    tokenId: integer(fields, ["token_id", "tokenId"]),
    depositLimit: natural(fields, "deposit_limit"),
    depositUsed: natural(fields, "deposit_used"),
    withdrawalLimit: natural(fields, "withdrawal_limit"),
    withdrawalUsed: natural(fields, "withdrawal_used"),
    pendingDeposits: orZero(fields, "pending_deposits"),
    pendingWithdrawals: orZero(fields, "pending_withdrawals"),
  };
}

const orZero = (fields: Fields, names: Names): bigint => maybe(fields, names, natural) ?? 0n;
