// Decides what must not be sent: payloads that the interface does not show, and transactions that fail the checks that S2.8, S4.6 and S7
// ask of a client. Each reason is a sentence; what cannot be read counts as not allowed.

import type { Market } from "../domain/market.ts";
import type { MarketId } from "../domain/units.ts";
import { messageOf } from "../kernel/errors.ts";
import type { TokenRegistry } from "../wire/rest/exchange.ts";
import type { PlaceOrder } from "../wire/transaction/trading.ts";
import type { Transaction, TransactionType } from "../wire/transaction.ts";

export type Unsendable = {
  /** Why the transaction must not be sent at `nowMs` of chain time, or null. Never throws. */
  readonly why: (transaction: Transaction, nowMs: number) => Promise<string | null>;
};

/** Reads before sending. */
type Looks = {
  readonly market: (market: MarketId) => Promise<Market>;
  readonly tokens: () => Promise<Pick<TokenRegistry, "capabilities">>;
};

export type UnsendableOptions = {
  /** Payloads that the interface does not show: refused, or sent in the devnet's own format to a known devnet. */
  readonly unshownPayloads: "refused" | "devnet";
};

export function createUnsendable({ unshownPayloads }: UnsendableOptions, exchange: Looks): Unsendable {
  return {
    async why(transaction, nowMs) {
      try {
        return whyUnshown(transaction.type, unshownPayloads) ?? (await judge(transaction, nowMs, exchange));
      } catch (thrown) {
        return `what ${transaction.type} depends on could not be read: ${messageOf(thrown)}`;
      }
    },
  };
}

function whyUnshown(type: TransactionType, unshownPayloads: UnsendableOptions["unshownPayloads"]): string | null {
  if (unshownPayloads === "devnet") return null;
  switch (type) {
    case "RequestWithdrawal":
    case "CancelWithdrawal":
      return `the interface shows no payload of ${type}: the trading app alone can make one`;
    case "CreateVault":
    case "DepositToVault":
    case "WithdrawFromVault":
    case "DelegateStake":
    case "UndelegateStake":
      return `the interface names no such action: ${type} is the devnet's own`;
    default:
      return null;
  }
}

/** A modify names no market, so it passes: its sender must check, as the bot's guard does. */
async function judge(transaction: Transaction, nowMs: number, exchange: Looks): Promise<string | null> {
  switch (transaction.type) {
    case "CreateReferredAccount":
      return "CreateReferredAccount is retired and cannot create an account (S4.6)";
    case "ApproveAgent":
      return isMilliseconds(transaction.expiresAtSec) ? "expires_at is in Unix seconds, not milliseconds (S4.6)" : null;
    case "Transfer":
      return (await exchange.tokens()).capabilities.genericTransfers ? null : "the exchange has no transfers (S2.8)";
    case "CloseSubaccount":
      return (await exchange.tokens()).capabilities.atomicSubaccountClosure
        ? null
        : "the exchange does not close subaccounts (S2.8)";
    case "PlaceOrder":
      return transaction.reduceOnly ? null : await whyNoExposure(transaction, nowMs, exchange);
    default:
      return null;
  }
}

/** S7: no new exposure while the market or its oracle is not Active, whatever the exchange itself would allow. */
async function whyNoExposure(
  { marketId }: PlaceOrder,
  nowMs: number,
  exchange: Pick<Looks, "market">,
): Promise<string | null> {
  const { status, oracleStatus, oracleValidUntilSec } = await exchange.market(marketId);
  if (status !== "Active") return `market ${marketId} is ${status}: only orders that reduce may be sent (S7)`;
  if (oracleStatus !== "Active")
    return `the oracle of market ${marketId} is ${oracleStatus}: only orders that reduce (S7)`;
  const expired = nowMs >= oracleValidUntilSec * 1000;
  return expired ? `the oracle price of market ${marketId} has expired: only orders that reduce (S7)` : null;
}

/** In seconds: the year 5138. */
const MILLISECONDS_FROM = 100_000_000_000;
const isMilliseconds = (expiresAtSec: number | null): boolean =>
  expiresAtSec !== null && expiresAtSec >= MILLISECONDS_FROM;
