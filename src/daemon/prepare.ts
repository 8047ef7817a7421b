// What a bot needs before it is built: its keys and the locks on them, the ledger's file, and a connection to the exchange. An embedded
// exchange is started, and the bot's keys are approved on it.

import { type BotConfig, type QuotedAccount, withoutPaper } from "../bot/config/config.ts";
import { type AgentKey, agentKeyOf, loadAgentKey } from "../bot/execution/agent-key.ts";
import { type KeyLock, lockAgentKey } from "../bot/execution/key-lock.ts";
import { defaultNonceLimits } from "../bot/execution/nonces.ts";
import { forgetfulEngine } from "../bot/ledger/memory/forgetful.ts";
import { behindKeys, notingSent } from "../bot/ledger/sent-marks.ts";
import { prepareFolder } from "../bot/ledger/sqlite/sqlite.ts";
import { type LedgerEngine, LedgerError } from "../bot/ledger/store.ts";
import type { Prepared } from "../bot/service/lifecycle/build.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import type { Log } from "../bot/telemetry/log.ts";
import type { Metrics } from "../bot/telemetry/metrics.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../bot/venue/remote/remote.ts";
import { type Report, reportText, streamEnds } from "../client/stream/report.ts";
import type { Configuration } from "../configuration.ts";
import type { Devnet } from "../devnet/devnet.ts";
import { isPlain, type Order } from "../domain/order.ts";
import type { AccountId } from "../domain/units.ts";
import type { Host } from "../host/host.ts";
import { sleep } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { bytesOfHex } from "../kernel/hex.ts";
import type { FileLock } from "../kernel/locking.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { createPrng } from "../kernel/prng.ts";
import { checkSigning, createSigner, SEED_BYTES } from "../wire/signing.ts";
import { flushKey } from "./flush-key.ts";
import { openLedgerAtStart } from "./ledger/open-ledger.ts";
import { lockKeyOnMachine } from "./machine-lock.ts";
import { withPaper } from "./paper-accounts.ts";
import { startEmbedded } from "./serve-devnet.ts";

/** Everything that a bot is built from. `close` ends the embedded exchange. */
export type PreparedBot = Prepared & { readonly close: () => Promise<void> };

/** Checks the signing code first. Throws StartError and leaves nothing open. */
export async function prepareBot(...start: Parameters<typeof prepareCheckedBot>): Promise<PreparedBot> {
  try {
    checkSigning();
  } catch (cause) {
    throw asStartError(cause);
  }
  return prepareCheckedBot(...start);
}

/** For a process that has already checked its signing code. Throws StartError and leaves nothing open. */
export async function prepareCheckedBot(
  { bot: config, devnet: embedded }: Configuration,
  host: Host,
  log: Log,
  metrics: Metrics,
): Promise<PreparedBot> {
  const locks: FileLock[] = [];
  const release = () => {
    for (const lock of locks.splice(0)) lock.release();
  };
  const keyLocks = new Map<string, KeyLock>();
  const fileLocks = new Map<string, KeyLock>();
  const hold = async ({ agentKeyFile }: QuotedAccount, { publicKey, fingerprint }: AgentKey): Promise<void> => {
    if (agentKeyFile === null || keyLocks.has(fingerprint)) return;
    locks.push(await lockKeyOnMachine(publicKey));
    const elsewhere = `${config.ledger.file ?? agentKeyFile}.${fingerprint}.lock`;
    const lock = fileLocks.get(agentKeyFile) ?? lockAgentKey(agentKeyFile, elsewhere);
    if (!fileLocks.has(agentKeyFile)) locks.push(lock);
    fileLocks.set(agentKeyFile, lock);
    keyLocks.set(fingerprint, lock);
  };
  let devnet: Devnet | undefined;
  try {
    const keys = keysOf(config, host);
    // Made first: a key in a read-only folder of secrets is locked beside the ledger instead.
    if (config.ledger.file !== null) prepareFolder(config.ledger.file);
    for (const account of config.accounts) await hold(account, keys.get(account.accountId) as AgentKey);
    const opened = openLedger(config, locks, host);
    // In a fleet, the database rather than this file records what a key has sent.
    const isKept = config.ledger.file !== null && config.fleet === null;
    const ledger = isKept ? notingSent(opened.engine, keyLocks) : opened.engine;
    const ledgerLost = opened.lost ?? (isKept ? behindText(config, behindKeys(ledger.read, keyLocks)) : null);
    if (embedded !== null) devnet = await startEmbedded(embedded, realKeysOf(config, keys), host, log);
    const prng = createPrng(seedOf(host));
    const real = createRemoteVenue(addressOf(config, devnet), {
      clock: host.clock,
      prng: prng.fork("venue"),
      report: reporter(log, metrics),
    });
    const venue = await withPaper(config, keys, real, prng.fork("paper"), host, log);
    if (ledgerLost !== null) await outlast({ config, keys, venue, ledger }, host, log);
    const reloadKey = async (account: QuotedAccount, running: AgentKey) => {
      if (account.agentKeyFile === null) return running;
      const key = loadAgentKey(account.agentKeyFile);
      if (key.publicKey === running.publicKey) return running;
      await hold(account, key);
      return key;
    };
    return {
      venue,
      keys,
      formerKeys: formerKeysOf(config),
      reloadKey,
      ledger,
      ledgerLost,
      prng,
      release,
      close: async () => devnet?.close(),
    };
  } catch (cause) {
    release();
    await devnet?.close();
    throw asStartError(cause);
  }
}

/** An unusable key or ledger is a fault of the configuration: the next start would fail too. Anything else may pass. */
function asStartError(cause: unknown): StartError {
  if (cause instanceof StartError) return cause;
  const isKey = cause instanceof PrivateFileError;
  const isLedger = cause instanceof LedgerError && (cause.code === "newer" || cause.code === "foreign");
  return new StartError(isKey || isLedger ? "configuration" : "failed", messageOf(cause), { cause });
}

/** Throws StartError when two accounts have the same key: each key has one window of nonces (S5). */
export function keysOf(config: BotConfig, host: Host): ReadonlyMap<AccountId, AgentKey> {
  const keys = new Map<AccountId, AgentKey>();
  for (const account of config.accounts) {
    const key = keyOf(account, config, host);
    for (const [other, { publicKey }] of keys) {
      if (publicKey !== key.publicKey) continue;
      const message = `accounts ${other} and ${account.accountId} have the same key; use one key per account`;
      throw new StartError("configuration", message);
    }
    keys.set(account.accountId, key);
  }
  return keys;
}

/** The keys of the accounts that are not on paper. */
export const realKeysOf = (
  { accounts }: BotConfig,
  keys: ReadonlyMap<AccountId, AgentKey>,
): ReadonlyMap<AccountId, AgentKey> =>
  new Map(withoutPaper({ accounts }).accounts.map(({ accountId }) => [accountId, keys.get(accountId) as AgentKey]));

const formerKeysOf = ({ accounts }: BotConfig): ReadonlyMap<AccountId, readonly AgentKey[]> =>
  new Map(accounts.map(({ accountId, formerKeyFiles }) => [accountId, formerKeyFiles.map(loadAgentKey)]));

/**
 * The key in the account's file. Without a file (embedded exchange only) a fresh key that ends with the run. A paper account's key is
 * derived and no secret: only the paper exchange knows it, and the next run needs the same key to fence what this one sent.
 */
function keyOf(account: QuotedAccount, { venue: { chainId } }: BotConfig, host: Host): AgentKey {
  const { accountId, agentKeyFile, paper } = account;
  if (paper !== null) return agentKeyOf(createSigner(bytesOfHex(sha256Hex(`paper ${chainId} ${accountId}`))));
  if (agentKeyFile !== null) return loadAgentKey(agentKeyFile);
  return agentKeyOf(createSigner(host.entropy.bytes(SEED_BYTES)));
}

type OpenedLedger = { readonly engine: LedgerEngine; readonly lost: string | null };

function openLedger(config: BotConfig, locks: FileLock[], { clock }: Host): OpenedLedger {
  const { file, maxBytes, isOfRun } = config.ledger;
  if (file === null) return { engine: forgetfulEngine(), lost: null };
  const accounts = config.accounts.map(({ accountId }) => accountId);
  const { engine, lock, lost } = openLedgerAtStart({ file, maxBytes, isOfRun }, accounts, clock.wallMs());
  locks.push(lock);
  return { engine, lost };
}

const behindText = ({ ledger: { file } }: BotConfig, behind: string | null): string | null =>
  behind === null
    ? null
    : `${file}: ${behind}. Fills, results, halts and orders since then are not known: restore the newest ledger, or look at the account and resume`;

type LostLedger = Pick<Prepared, "keys" | "venue" | "ledger"> & { readonly config: BotConfig };

/**
 * A lost ledger also knew the unanswered transactions and the nonces that were used. Where a flush fence proves that none of those can
 * still execute, the next nonces lie above it. Otherwise this waits until all used nonces lie in the past; an order that still executes
 * counts as foreign.
 */
async function outlast({ config, keys, venue, ledger }: LostLedger, { clock }: Host, log: Log): Promise<void> {
  const { chainId } = config.venue;
  const flushed = await Promise.all(
    withoutPaper(config).accounts.map(async (quoted) => {
      const { accountId } = quoted;
      const key = keys.get(accountId) as AgentKey;
      // Without the ledger, plain orders in our markets count as ours.
      const quotedMarkets = new Set(quoted.markets.map(({ marketId }) => marketId));
      const stays = (order: Order): boolean => !isPlain(order) || !quotedMarkets.has(order.marketId);
      const isProven = await flushKey({ chainId, quoted, key, stays, isOver: () => false }, { clock, venue, ledger });
      const facts = { event: "start.flushFence", account: `${accountId}`, key: key.fingerprint };
      if (isProven) log.info(facts, `account ${accountId}: nothing that the lost ledger knew of can still execute`);
      else
        log.warn(
          facts,
          `account ${accountId}: what the lost ledger knew of may still execute: the fence was not proven`,
        );
      return isProven;
    }),
  );
  if (flushed.includes(false)) await sleep(clock, 2 * defaultNonceLimits.reservationMs);
}

function addressOf({ venue }: BotConfig, devnet: Devnet | undefined) {
  const { validatorUrl, wsUrl } = venue.kind === "remote" ? venue : (devnet ?? { validatorUrl: "", wsUrl: "" });
  return { ...defaultRemoteOptions, validatorUrl, wsUrl, isMissingEmpty: venue.dialect.emptyList === "404" };
}

const seedOf = (host: Host): bigint => new DataView(host.entropy.bytes(8).buffer).getBigUint64(0);

/** Counts and logs faults of the stream. */
function reporter(log: Log, metrics: Metrics): Report {
  for (const reason of streamEnds) metrics.feedReconnects.labels({ reason });
  return (report) => {
    if (report.kind === "streamEnded") metrics.feedReconnects.labels({ reason: report.reason }).inc();
    const { kind, ...facts } = report;
    log.warn({ event: `stream.${kind}`, ...facts }, reportText(report));
  };
}
