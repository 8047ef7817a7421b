// What the exchange itself knows of account 12, read past every proxy: the other side of the comparison with the bot's ledger.

import { type Account, inventoryOf } from "../../src/domain/account.ts";
import { type Fill, fillsOf } from "../../src/domain/fill.ts";
import { accountId, type Size } from "../../src/domain/units.ts";
import { assert } from "../../src/kernel/assert.ts";
import { parseJson } from "../../src/kernel/json.ts";
import * as accounts from "../../src/wire/rest/accounts.ts";
import { readFillRows, readOrderRows } from "../../src/wire/rest/history.ts";
import { HISTORY_KEY, type Scene } from "./daemon.ts";

export const ACCOUNT = accountId(12n);
export const MARKET = 1;
const PAGE = 1000;

export type ExchangeRecord = {
  readonly account: Account;
  readonly inventory: Size;
  readonly fills: readonly Fill[];
  /** Orders that the account ever placed. */
  readonly orderCount: number;
};

export async function accountAt(scene: Pick<Scene, "validatorUrl">): Promise<Account> {
  const found = accounts.account.read(await read(`${scene.validatorUrl}/v1/accounts/12`));
  assert(accounts.isWhole(found), "the exchange tells orders and positions");
  return found;
}

export const inventoryIn = (account: Account): Size =>
  inventoryOf(account.positions.find(({ marketId }) => marketId === MARKET));

/** Everything, once nobody trades for the account. Newest first. */
export async function exchangeRecord(scene: Scene): Promise<ExchangeRecord> {
  const rows = await all(`${scene.restUrl}/v1/accounts/12/trades`, (json) => readFillRows(json, ACCOUNT));
  const orders = await all(`${scene.restUrl}/v1/accounts/12/orders`, (json) => readOrderRows(json, ACCOUNT));
  const account = await accountAt(scene);
  const fills = rows.flatMap(({ execution, liquidity }) =>
    fillsOf(execution, ACCOUNT).filter((fill) => fill.liquidity === liquidity),
  );
  return { account, inventory: inventoryIn(account), fills, orderCount: orders.length };
}

async function all<T>(url: string, decode: (json: unknown) => readonly T[]): Promise<readonly T[]> {
  const rows: T[] = [];
  for (;;) {
    const page = decode(await read(`${url}?limit=${PAGE}&offset=${rows.length}`));
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

async function read(url: string): Promise<unknown> {
  const answer = await fetch(url, { headers: { "x-api-key": HISTORY_KEY } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  return parseJson(await answer.text());
}
