// A new configuration on a running bot: changes are applied, one market at a time. Changes that need a restart are left out and reported;
// those that remove a market or loosen a limit wait for the operator's signal.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import {
  accountLimitsNow,
  changesText,
  type Held,
  marketNow,
  restartParts,
  type Waiting,
} from "../../config/changes.ts";
import type { BotConfig, QuotedAccount, QuotedMarket } from "../../config/config.ts";
import { marketHash, shadowHash } from "../../config/market-hash.ts";
import { limitsPath } from "../../config/setting.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { foundEntry } from "../../decider/desks/account-records.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../telemetry/log.ts";
import type { BotModules, BotParts } from "./build.ts";
import { absentText, listing, marketsOf } from "./start-checks.ts";

/** What a reload may change. */
export type ReloadParts = Pick<
  BotParts,
  "desks" | "driver" | "executions" | "keys" | "ledger" | "series" | "readsOfLedger" | "reloadKey" | "state" | "venue"
>;

/** `signal`: from an operator. `file`: the file changed, perhaps by mistake. */
export type ReloadTrigger = "signal" | "file";

/** Who asks for a reload, and the paths of limits that they may not loosen. */
export type Authority = { readonly by: ReloadTrigger; readonly isHeld?: (path: string) => boolean };

/** Why a new configuration is impossible: the running one stays whole. */
export class ReloadRefusal extends Error {}

/** `unapplied`: the parts of the wanted configuration that do not hold yet, a sentence each. */
export type Reloaded = { readonly config: BotConfig; readonly unapplied: readonly string[] };

/**
 * The slow part of a reload: asks the exchange about added markets, and has a new key sign from here on. Throws ReloadRefusal, and what
 * reading a key throws; nothing has changed then.
 */
export async function prepareReload(
  running: BotConfig,
  wanted: BotConfig,
  parts: ReloadParts,
  { log, clock }: Pick<BotModules, "log" | "clock">,
): Promise<void> {
  refusePaperChanges(running, wanted);
  await refuseAbsentMarkets(running, wanted, parts);
  await rotateKeys(running, wanted, parts, { log, clock });
}

/** Applies at once a change prepared against this running configuration; returns the new one. */
export function applyReload(
  running: BotConfig,
  wanted: BotConfig,
  { by, isHeld = () => false }: Authority,
  parts: ReloadParts,
  { log, clock }: Pick<BotModules, "log" | "clock">,
): Reloaded {
  const unapplied = new Unapplied(log);
  for (const part of restartParts(running, wanted)) unapplied.needsRestart(part);
  const notes = { log, clock, ledger: parts.ledger, unapplied, by, isHeld };
  const accounts: QuotedAccount[] = [];
  for (const account of running.accounts) {
    const next = wanted.accounts.find(({ accountId }) => accountId === account.accountId);
    const desk = parts.desks.get(account.accountId);
    accounts.push(
      next === undefined || desk === undefined ? account : reloadAccount(account, next, desk, parts, notes),
    );
  }
  log.level = wanted.log.level;
  const config = {
    ...running,
    accounts,
    signals: wanted.signals,
    log: wanted.log,
    settings: wanted.settings,
    hash: wanted.hash,
  };
  return { config, unapplied: unapplied.sentences };
}

/** Reports what does not hold yet: in the log when found, and to later readers. */
class Unapplied {
  readonly sentences: string[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  waits({ what, change }: Waiting): void {
    this.#tell({ event: "config.waits" }, `${what} unchanged: ${change} waits for SIGHUP`);
  }

  needsRestart(part: string): void {
    this.#tell({ event: "config.needsRestart", part }, `a change of ${part} needs a restart; it was not applied`);
  }

  #tell(fields: { readonly event: string; readonly part?: string }, sentence: string): void {
    this.sentences.push(sentence);
    this.#log.warn(fields, sentence);
  }
}

/** The paper exchange is made at the start, with the accounts and markets of that moment. */
function refusePaperChanges(running: BotConfig, wanted: BotConfig): void {
  for (const { accountId, paper, markets } of running.accounts) {
    const next = wanted.accounts.find((account) => account.accountId === accountId);
    if (next === undefined) continue;
    const kind = ({ paper: of }: Pick<QuotedAccount, "paper">) => (of === null ? "on the exchange" : "on paper");
    if (kind(next) !== kind({ paper }))
      throw new ReloadRefusal(`account ${accountId} trades ${kind({ paper })}; restart to change that`);
    const added = next.markets.find(({ marketId }) => !markets.some((market) => market.marketId === marketId));
    if (paper !== null && added !== undefined)
      throw new ReloadRefusal(`account ${accountId} is on paper; restart to add market ${added.marketId} to it`);
  }
}

/** Like a start, except for markets that the exchange does not answer about now: those can wait. */
async function refuseAbsentMarkets(
  running: BotConfig,
  wanted: BotConfig,
  { venue }: Pick<ReloadParts, "venue">,
): Promise<void> {
  const idsOf = (accounts: readonly QuotedAccount[]) =>
    accounts.flatMap((account) => account.markets.flatMap(marketsOf));
  const known = new Set(idsOf(running.accounts));
  const added = [...new Set(idsOf(wanted.accounts))].filter((marketId) => !known.has(marketId));
  if (added.length === 0) return;
  const { absent, unanswered } = await listing({ chainId: running.venue.chainId, markets: added }, venue.reads);
  if (absent.length > 0) throw new ReloadRefusal(absentText(absent));
  if (unanswered.length > 0)
    throw new ReloadRefusal(
      `the exchange does not say now whether it has market ${unanswered.join(", ")}; send SIGHUP once it answers`,
    );
}

/**
 * Another key signs from the next transaction on: approved on the account, its nonces reserved first, so that quoting does not pause.
 * Throws when a key cannot be used; nothing has changed then.
 */
async function rotateKeys(
  running: BotConfig,
  wanted: BotConfig,
  parts: ReloadParts,
  { log, clock }: Pick<BotModules, "log" | "clock">,
): Promise<void> {
  for (const account of wanted.accounts) {
    const { accountId } = account;
    const before = parts.keys.get(accountId);
    if (before === undefined || !running.accounts.some((known) => known.accountId === accountId)) continue;
    const key = await parts.reloadKey(account, before);
    if (key === before) continue;
    const askedMs = clock.monotonicMs();
    const read = await parts.venue.reads.account(accountId);
    if (!read.agents.some(({ pubkey }) => pubkey === key.publicKey)) {
      throw new ReloadRefusal(
        `agent key ${key.publicKey} is not approved on account ${accountId}; the running key stays`,
      );
    }
    const rotated = await parts.executions.get(accountId)?.rotate(key);
    if (rotated !== true)
      throw new ReloadRefusal(`the nonces of agent key ${key.publicKey} cannot be reserved; the running key stays`);
    parts.keys.set(accountId, key);
    // The state must know the key as approved before it is ours, or its gate would close.
    parts.driver.fold({ kind: "accountRead", account: read, askedMs, receivedMs: clock.monotonicMs() });
    parts.driver.feed({ kind: "rekey", accountId, publicKey: key.publicKey });
    log.warn(
      { event: "key.rotated", account: `${accountId}`, key: key.fingerprint },
      `account ${accountId} now signs with the new agent key`,
    );
  }
}

type Notes = Required<Authority> & {
  readonly log: Log;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly unapplied: Unapplied;
};

function reloadAccount(
  running: QuotedAccount,
  wanted: QuotedAccount,
  desk: AccountDesk,
  parts: ReloadParts,
  notes: Notes,
): QuotedAccount {
  const { log, unapplied, by } = notes;
  const { now: limits, waits } = accountLimitsNow(running, wanted, heldAt(desk.accountId, null, notes).isLimitHeld);
  for (const waiting of waits) unapplied.waits(waiting);
  const markets: QuotedMarket[] = [];
  for (const market of running.markets) {
    const next = wanted.markets.find(({ marketId }) => marketId === market.marketId);
    if (next === undefined) {
      if (by === "file") {
        unapplied.waits({ what: `market ${market.marketId}`, change: "a removed market" });
        markets.push(market);
      } else {
        removeMarket(desk, market, parts, notes);
      }
    } else {
      markets.push(changeMarket(desk, market, next, parts, notes));
    }
  }
  for (const market of wanted.markets) {
    if (running.markets.some(({ marketId }) => marketId === market.marketId)) continue;
    parts.driver.feed({ kind: "take", accountId: desk.accountId, quoted: market, kept: parts.readsOfLedger() });
    parts.series.show(desk);
    markets.push(market);
    log.info(
      { event: "market.added", market: market.marketId },
      `market ${market.marketId} added, quoted by ${market.strategy.name}`,
    );
    recordChange(desk, market, `added, quoted by ${market.strategy.name}`, notes);
  }
  const quoted = { ...wanted, limits, markets };
  parts.driver.feed({ kind: "account", quoted });
  return quoted;
}

const heldAt = (account: AccountId, market: MarketId | null, { by, isHeld }: Notes): Held => ({
  isLimitHeld: (limit) => by === "file" || isHeld(`${limitsPath(account, market)}.${limit}`),
  isPremiumHeld: by === "file",
});

function changeMarket(
  desk: AccountDesk,
  running: QuotedMarket,
  wanted: QuotedMarket,
  parts: ReloadParts,
  notes: Notes,
): QuotedMarket {
  const { log, unapplied } = notes;
  const { now: next, waits } = marketNow(running, wanted, heldAt(desk.accountId, running.marketId, notes));
  for (const waiting of waits) unapplied.waits(waiting);
  if (next.hash === running.hash)
    // A shadow trades apart: a changed one changes nothing here.
    return shadowHash(next.shadow) === shadowHash(running.shadow) ? running : { ...running, shadow: next.shadow };
  const { accountId } = desk;
  parts.driver.feed({ kind: "requote", accountId, quoted: next, goesOn: false });
  const changes = changesText(running, next);
  log.info(
    { event: "market.changed", market: next.marketId, strategy: next.strategy.name, config: next.hash },
    `market ${next.marketId}: ${changes}; resting orders that fit stay`,
  );
  recordChange(desk, next, changes, notes);
  return next;
}

/** For those who ask later what was in force when. */
function recordChange(
  { accountId }: AccountDesk,
  { marketId }: Pick<QuotedMarket, "marketId">,
  changes: string,
  { ledger, clock }: Pick<ReloadParts, "ledger"> & Pick<BotModules, "clock">,
): void {
  const entry = foundEntry("configChanged", `account ${accountId}, market ${marketId}: ${changes}`, clock.wallMs());
  ledger.keep({ kind: "audit", entry });
}

/** Returns a market with its former strategy in its configuration, which continues where it was. */
export function restoreMarket(
  config: BotConfig,
  account: AccountId,
  market: QuotedMarket,
  { desks, driver, ledger }: Pick<ReloadParts, "desks" | "driver" | "ledger">,
  { clock }: Pick<BotModules, "clock">,
): BotConfig {
  const desk = desks.get(account);
  const next = { ...market, hash: marketHash(market) };
  const running = desk?.markets.get(market.marketId)?.quoted;
  if (desk !== undefined && running !== undefined)
    recordChange(desk, next, changesText(running, next), { ledger, clock });
  driver.feed({ kind: "requote", accountId: account, quoted: next, goesOn: true });
  const accounts = config.accounts.map((quoted): QuotedAccount => {
    if (quoted.accountId !== account) return quoted;
    const markets = quoted.markets.map((each) => (each.marketId === market.marketId ? next : each));
    return { ...quoted, markets };
  });
  const quoted = accounts.find((each) => each.accountId === account);
  if (quoted !== undefined) driver.feed({ kind: "account", quoted });
  return { ...config, accounts };
}

/** Its desk stays and cancels until the exchange has confirmed that nothing of ours rests. The position stays visible to the operator. */
function removeMarket(desk: AccountDesk, { marketId }: QuotedMarket, parts: ReloadParts, notes: Notes): void {
  const { log } = notes;
  log.warn({ event: "market.removed", market: marketId }, `market ${marketId} removed; its orders are being canceled`);
  recordChange(desk, { marketId }, "removed", notes);
  parts.driver.feed({ kind: "drain", accountId: desk.accountId, marketId });
}
