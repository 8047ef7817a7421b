// What the operator of a devnet may change, as plain acts that are logged with their block and replayed.

import type { Agent } from "../../domain/account.ts";
import type { OracleStatus } from "../../domain/market.ts";
import type { AccountId, MarketId, Price, Usdc } from "../../domain/units.ts";
import { approveAgent } from "../accounts/agents.ts";
import { signUp } from "../accounts/funded-account.ts";
import { changed, receiptOf, refused } from "../accounts/receipt.ts";
import { USDC } from "../accounts/tokens.ts";
import type { MarketConfig } from "../config/config.ts";
import type { Context } from "../engine/calls.ts";
import type { Receipt } from "../event.ts";
import type { ChainState } from "./state.ts";

export type OracleChange = { readonly status?: OracleStatus; readonly validUntilSec?: number };

/** Acts take effect at once. A refusal (unknown market, unknown account, invalid value) is a failed receipt and changes nothing. */
export type ChainControl = {
  readonly setMarketStatus: (market: MarketId, status: MarketConfig["status"]) => Receipt;
  /** Applies from now on; cancels resting orders. */
  readonly setTickSize: (market: MarketId, tickSize: Price) => Receipt;
  /** Publishes a print now; valid as long as the market's own prints. */
  readonly publishPrint: (market: MarketId, price: Price) => Receipt;
  /** Forces status, expiry or both; an expiry in the past makes the oracle Stale. */
  readonly setOracle: (market: MarketId, change: OracleChange) => Receipt;
  /** Repeats a settlement of another exchange, for a market whose funding follows that exchange. */
  readonly settleFunding: (market: MarketId, rate: bigint, timestampSec: number) => Receipt;
  readonly deposit: (account: AccountId, amount: Usdc) => Receipt;
  readonly approveAgent: (account: AccountId, agent: Agent) => Receipt;
  /** An attested bridge deposit: credits the owner's personal account, or stays unclaimed until there is one. Default token: USDC. */
  readonly bridgeDeposit: (owner: string, amount: bigint, tokenId?: number) => Receipt;
  /** A hosted signup: creates the owner's personal account, which then needs a sufficient deposit and CreateFundedAccount. */
  readonly signUp: (owner: string) => Receipt;
  /** The external chain reports that a ready withdrawal was claimed. */
  readonly claimWithdrawal: (withdrawalId: bigint) => Receipt;
};

export type ControlAct =
  | { readonly act: "setMarketStatus"; readonly marketId: MarketId; readonly status: MarketConfig["status"] }
  | { readonly act: "setTickSize"; readonly marketId: MarketId; readonly tickSize: Price }
  | { readonly act: "publishPrint"; readonly marketId: MarketId; readonly price: Price; readonly validForMs: number }
  | { readonly act: "setOracle"; readonly marketId: MarketId; readonly change: OracleChange }
  | {
      readonly act: "settleFunding";
      readonly marketId: MarketId;
      readonly rate: bigint;
      readonly timestampSec: number;
    }
  | { readonly act: "deposit"; readonly accountId: AccountId; readonly amount: Usdc }
  | { readonly act: "approveAgent"; readonly accountId: AccountId; readonly agent: Agent }
  | { readonly act: "bridgeDeposit"; readonly owner: string; readonly tokenId: number; readonly amount: bigint }
  | { readonly act: "signUp"; readonly owner: string }
  | { readonly act: "claimWithdrawal"; readonly withdrawalId: bigint }
  /** From the enclave: a key with which it signs for an owner. */
  | { readonly act: "linkHostedKey"; readonly pubkey: string; readonly owner: string };

/** Control acts as functions; `perform` executes an act in the current block and logs it. */
export function createControl(
  perform: (act: ControlAct) => Receipt,
  validForMs: (market: MarketId) => number,
): ChainControl {
  return {
    setMarketStatus: (marketId, status) => perform({ act: "setMarketStatus", marketId, status }),
    setTickSize: (marketId, tickSize) => perform({ act: "setTickSize", marketId, tickSize }),
    publishPrint: (marketId, price) =>
      perform({ act: "publishPrint", marketId, price, validForMs: validForMs(marketId) }),
    setOracle: (marketId, change) => perform({ act: "setOracle", marketId, change }),
    settleFunding: (marketId, rate, timestampSec) => perform({ act: "settleFunding", marketId, rate, timestampSec }),
    deposit: (accountId, amount) => perform({ act: "deposit", accountId, amount }),
    approveAgent: (accountId, agent) => perform({ act: "approveAgent", accountId, agent }),
    bridgeDeposit: (owner, amount, tokenId = USDC) => perform({ act: "bridgeDeposit", owner, tokenId, amount }),
    signUp: (owner) => perform({ act: "signUp", owner }),
    claimWithdrawal: (withdrawalId) => perform({ act: "claimWithdrawal", withdrawalId }),
  };
}

export function applyControl(act: ControlAct, ctx: Context, state: ChainState): Receipt {
  const { engine, registry, bridge } = state;
  switch (act.act) {
    case "setMarketStatus":
      return engine.setMarketStatus(act.marketId, act.status, ctx);
    case "setTickSize":
      return engine.setTickSize(act.marketId, act.tickSize, ctx);
    case "publishPrint":
      return engine.publishPrint(act.marketId, act.price, ctx.timeMs + act.validForMs, ctx);
    case "setOracle": {
      const { status, validUntilSec } = act.change;
      const expiry = validUntilSec === undefined ? {} : { validUntilMs: validUntilSec * 1000 };
      return engine.setOracle(act.marketId, { ...(status === undefined ? {} : { status }), ...expiry }, ctx);
    }
    case "settleFunding":
      return engine.settleFunding(act.marketId, act.rate, act.timestampSec, ctx);
    case "deposit": {
      const { accountId, amount } = act;
      const row = registry.account(accountId);
      if (row?.state !== "open")
        return refused("UnknownAccount", `account ${accountId} does not exist or is not active`);
      if (amount <= 0n) return refused("InvalidAmount", "a deposit is above zero");
      const event = changed("Deposited", accountId, { amount: `${amount}` });
      return receiptOf(engine.post({ from: "custody", to: accountId, amount }, ctx), event);
    }
    case "approveAgent": {
      const row = registry.account(act.accountId);
      if (row === undefined || row.state === "closed") {
        return refused("UnknownAccount", `account ${act.accountId} does not exist`);
      }
      return approveAgent(registry, row, act.agent);
    }
    case "bridgeDeposit":
      return bridge.deposit(act.owner, act.tokenId, act.amount, ctx);
    case "signUp":
      return signUp(act.owner, ctx, registry);
    case "claimWithdrawal":
      return state.withdrawals.claim(act.withdrawalId, ctx);
    case "linkHostedKey":
      return state.hostedKeys.link(act.pubkey, act.owner);
  }
}
