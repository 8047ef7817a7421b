// Every message of the interface as one table: values of its type, and its description, which writes, reads and publishes it.

import fc from "fast-check";
import { accountId } from "../../../src/domain/units.ts";
import { parseJson } from "../../../src/kernel/json.ts";
import type { JsonSchema, Kind } from "../../../src/wire/description.ts";
import * as accounts from "../../../src/wire/rest/accounts.ts";
import * as exchange from "../../../src/wire/rest/exchange.ts";
import * as history from "../../../src/wire/rest/history.ts";
import * as markets from "../../../src/wire/rest/markets.ts";
import * as owners from "../../../src/wire/rest/owners.ts";
import { transaction } from "../../../src/wire/transaction.ts";
import * as arbitrary from "./arbitraries.ts";

export type Shape = {
  readonly name: string;
  /** Pairs of a value and its text on the wire, with what a client parses of it. */
  readonly samples: fc.Arbitrary<{ readonly value: unknown; readonly text: string; readonly json: unknown }>;
  readonly decode: (json: unknown) => unknown;
  /** As the reference of the devnet publishes it. */
  readonly published: JsonSchema;
};

function shape<T>(
  name: string,
  values: fc.Arbitrary<T>,
  { text, schema }: Pick<Kind<T>, "text" | "schema">,
  decode: Shape["decode"],
): Shape {
  const samples = values.map((value) => {
    const written = text(value);
    return { value, text: written, json: parseJson(written) };
  });
  return { name, samples, decode, published: schema };
}

const own = <T>(name: string, values: fc.Arbitrary<T>, kind: Kind<T>): Shape =>
  shape(name, values, kind, (json) => kind.read(json));
const several = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(values, { maxLength: 4 });

const asked = accountId(0n);

export const shapes: readonly Shape[] = [
  own("transaction", arbitrary.transactions, transaction),
  own("market", arbitrary.markets, markets.market),
  own("markets", several(arbitrary.markets), markets.markets),
  own("book", arbitrary.books, markets.book),
  own("oracle", arbitrary.oracles, markets.oracle),
  own("oracle history", arbitrary.oracleHistories, markets.oracleHistory),
  own("funding", arbitrary.fundings, markets.funding),
  own("fee tiers", several(arbitrary.feeTiers), markets.feeTiers),
  shape("trades", several(arbitrary.tradesOfMarketSeven), markets.trades, (json) => markets.readTrades(json, 7)),
  own("account", arbitrary.accounts, accounts.account),
  shape("positions", arbitrary.positionsOfAnAccount, accounts.positions, (json) => {
    const { positions, unreadable } = accounts.readPositions(json, asked);
    return unreadable.length === 0 ? positions : unreadable;
  }),
  shape("orders", several(arbitrary.ordersOf(asked)), accounts.orders, (json) => {
    const { openOrders, unreadable } = accounts.readOpenOrders(json, asked);
    return unreadable.length === 0 ? openOrders : unreadable;
  }),
  own("request budget", arbitrary.requestBudgets, accounts.requestBudget),
  own("owned accounts", several(arbitrary.ownedAccounts), owners.ownedAccounts),
  own("owner assets", arbitrary.ownerAssets, owners.ownerAssets),
  own("invites", arbitrary.inviteStates, owners.invites),
  own("recipient", arbitrary.recipients, owners.recipient),
  own("transfer history", arbitrary.transferPages, owners.transferPage),
  own("vault", arbitrary.vaults, owners.vault),
  own("withdrawals", several(arbitrary.openWithdrawals), owners.withdrawals),
  own("staking balance", arbitrary.stakingBalances, owners.stakingBalance),
  own("delegations", several(arbitrary.delegations), owners.delegations),
  own("node", arbitrary.nodes, exchange.node),
  own("stats", arbitrary.stats, exchange.stats),
  own("insurance fund", arbitrary.insuranceFunds, exchange.insuranceFund),
  own("treasury config", arbitrary.treasuryConfigs, exchange.treasuryConfig),
  own("token registry", arbitrary.tokenRegistries, exchange.tokenRegistry),
  own("bridge state", arbitrary.bridgeStates, exchange.bridgeState),
  own("staking validators", several(arbitrary.stakeValidators), exchange.stakeValidators),
  own("staking state", arbitrary.stakingStates, exchange.stakingInfo),
  own("explorer block", arbitrary.blocks, exchange.markedBlock),
  own("explorer blocks", several(arbitrary.blocks), exchange.blocks),
  shape("history of fills", several(arbitrary.fillRows), history.fillRows, (json) => history.readFillRows(json, asked)),
  shape("history of orders", several(arbitrary.orderRows), history.orderRows, (json) =>
    history.readOrderRows(json, asked),
  ),
  shape("history of funding", several(arbitrary.fundingRows), history.fundingRows, (json) =>
    history.readFundingRows(json, asked),
  ),
];
