// Accounts and their money outside trading: opening, closing, and postings between accounts and the system's ledgers.

import type { AccountId, Usdc } from "../../../domain/units.ts";
import type { Context, Posting, Refusal } from "../calls.ts";
import { availableCollateral } from "../margin/margin.ts";
import { type Account, type Family, keyOf, type LedgerAccount } from "../records.ts";
import { type Core, refuse } from "../state.ts";
import { makeAccount } from "./market-accounts.ts";
import { post } from "./postings.ts";
import { openVolume } from "./volume.ts";

export type NewAccount = {
  readonly accountId: AccountId;
  readonly masterAccountId: AccountId | null;
  readonly volume30d?: Usdc;
};

export function openAccount(core: Core, opened: NewAccount, ctx: Context): Refusal | null {
  const { accountId, masterAccountId } = opened;
  const masterId = masterAccountId ?? accountId;
  if (core.accounts.has(keyOf(accountId))) return refuse("AccountExists", `account ${accountId} exists already`);
  const master = core.accounts.get(keyOf(masterId));
  if (masterAccountId !== null && (master === undefined || master.masterId !== null)) {
    return refuse("UnknownMaster", `account ${masterId} is not a master account`);
  }
  if (core.nowMs === 0) core.nowMs = ctx.timeMs;
  const traded = opened.volume30d ?? 0n;
  const family = core.families.get(keyOf(masterId)) ?? addFamily(core, masterId);
  family.volume.today += traded;
  const account = makeAccount(accountId, masterAccountId, family, openVolume(traded));
  core.accounts.set(keyOf(accountId), account);
  core.log.accountOpened(account);
  core.log.flush();
  return null;
}

function addFamily(core: Core, masterId: AccountId): Family {
  const family: Family = { masterId, volume: openVolume(0n) };
  core.families.set(keyOf(masterId), family);
  return family;
}

/** A family keeps the volume of its closed subaccounts. */
export function closeAccount(core: Core, accountId: AccountId): Refusal | null {
  const account = core.accounts.get(keyOf(accountId));
  if (account === undefined) return refuse("UnknownAccount", `account ${accountId} does not exist`);
  if ([...core.markets.values()].some((market) => market.spec.backstopAccountId === accountId)) {
    return refuse("BackstopAccount", `account ${accountId} is the backstop of a market`);
  }
  if (account.placesTaken > 0) return refuse("AccountNotEmpty", `account ${accountId} has open orders`);
  const held = [...account.markets.values()];
  if (held.some((marketAccount) => marketAccount.units !== 0)) {
    return refuse("AccountNotEmpty", `account ${accountId} has open positions`);
  }
  if (account.balance !== 0n) return refuse("AccountNotEmpty", `account ${accountId} has collateral`);
  for (const marketAccount of held) {
    const { accounts } = marketAccount.market;
    accounts.splice(accounts.indexOf(marketAccount), 1);
  }
  core.accounts.delete(keyOf(accountId));
  core.log.accountClosed(account);
  core.log.flush();
  return null;
}

export function movePosting(core: Core, posting: Posting): Refusal | null {
  const { from, to, amount } = posting;
  if (amount <= 0n) return refuse("InvalidAmount", "amount must be above 0");
  if (from === to) return refuse("InvalidAmount", "a posting needs two different ends");
  const payer = ledgerAccountOf(core, from);
  const payee = ledgerAccountOf(core, to);
  if (payer === undefined || payee === undefined) {
    return refuse("UnknownAccount", `account ${payer === undefined ? from : to} does not exist`);
  }
  if (isAccount(payer) && availableCollateral(payer) < amount) {
    const available = availableCollateral(payer);
    return refuse("InsufficientCollateral", `account ${from} has ${available} USDC base units available of ${amount}`);
  }
  post(core.log, payer, payee, amount);
  if (to === "insurance") core.insuranceDeposited += amount;
  core.log.flush();
  return null;
}

const isAccount = (ledgerAccount: LedgerAccount): ledgerAccount is Account => "markets" in ledgerAccount;

const ledgerAccountOf = (core: Core, name: Posting["from"]): LedgerAccount | undefined =>
  typeof name === "string" ? core.ledgers[name] : core.accounts.get(keyOf(name));
