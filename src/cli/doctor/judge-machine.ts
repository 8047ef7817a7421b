// Checks of this machine: key files, processes that hold the keys, the ledger, and the watchdog.

import { dirname, join } from "node:path";
import { type BotConfig, withoutPaper } from "../../bot/config/config.ts";
import { type AgentKey, loadAgentKey } from "../../bot/execution/agent-key.ts";
import { readSqlite } from "../../bot/ledger/sqlite/sqlite.ts";
import { listenFault } from "../../bot/service/lifecycle/listen.ts";
import { tryListening } from "../../bot/telemetry/http.ts";
import { ledgerFault } from "../../daemon/ledger/open-ledger.ts";
import { lockKeyOnMachine } from "../../daemon/machine-lock.ts";
import { findToken } from "../../daemon/running/admin-token.ts";
import { askStatus, findDaemon } from "../../daemon/running/ask-daemon.ts";
import { urlOf } from "../../daemon/running/running-daemon.ts";
import type { AccountId } from "../../domain/units.ts";
import type { Host } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";
import { type FileLock, LockError } from "../../kernel/locking.ts";
import { readSecretFile } from "../../kernel/private-file.ts";
import { countText } from "../../kernel/text.ts";
import { commandText, shellWord } from "../../kernel/typed-command.ts";
import { tryWriting } from "../../kernel/yaml/files.ts";
import { haltLines } from "../ledger.ts";
import type { Facts } from "./facts.ts";
import { judged, type Verdict } from "./finding.ts";

export type Keys = { readonly keys: ReadonlyMap<AccountId, AgentKey>; readonly verdict: Verdict };

/** Accounts without a key file use the key in `made`: with an embedded exchange a run makes its own keys. */
export function readKeys({ accounts }: BotConfig, made: ReadonlyMap<AccountId, AgentKey>): Keys {
  const keys = new Map<AccountId, AgentKey>();
  const users = new Map<string, AccountId>();
  const problems: string[] = [];
  for (const [index, { accountId, agentKeyFile, formerKeyFiles }] of accounts.entries()) {
    tryInto(problems, `accounts[${index}].agentKeyFile`, () => {
      const key = agentKeyFile === null ? made.get(accountId) : loadAgentKey(agentKeyFile);
      if (key === undefined) return;
      const other = users.get(key.publicKey);
      if (other !== undefined)
        problems.push(`accounts ${other} and ${accountId} have the same key; use one per account`);
      users.set(key.publicKey, accountId);
      keys.set(accountId, key);
    });
    for (const file of formerKeyFiles) tryInto(problems, `accounts[${index}].formerKeyFiles`, () => loadAgentKey(file));
  }
  return { keys, verdict: judged(problems, `${countText(keys.size, "key")} that only its owner can read`) };
}

/** Checks the other secret files that a daemon's start needs. */
export function judgeSecrets(config: BotConfig, host: Host): Verdict {
  const { webhook, server, ledger } = config;
  const problems: string[] = [];
  if (webhook !== null) tryInto(problems, "webhook.secretFile", () => readSecretFile(webhook.secretFile));
  // The ledger's check reports a folder that cannot be written.
  if (ledgerFault(ledger) === null)
    tryInto(problems, "server.tokenFile", () => {
      if (findToken(config, host) === undefined && server.tokenFile !== null) tryWriting(server.tokenFile);
    });
  return judged(problems, "");
}

/** Reports an error of `act` as a problem of the configuration's `key`. */
function tryInto(problems: string[], key: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    problems.push(`${key}: ${messageOf(error)}`);
  }
}

/** The locks that were taken, and who holds the others. */
export type Held = { readonly locks: readonly FileLock[]; readonly verdict: Verdict };

/** Locks every key on this machine, so that no daemon can start meanwhile. */
export async function holdKeys(config: BotConfig, keys: ReadonlyMap<AccountId, AgentKey>, host: Host): Promise<Held> {
  const locks: FileLock[] = [];
  const problems: string[] = [];
  for (const { publicKey } of keys.values()) {
    try {
      locks.push(await lockKeyOnMachine(publicKey));
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 0) return { locks, verdict: judged([], "no other process on this machine holds the key") };
  const daemon = await findDaemon(config, host);
  const isThere = (await askStatus(daemon)) !== undefined;
  const who = isThere ? `the daemon at ${daemon.url}; stop it before another one starts` : "find and stop it";
  return { locks, verdict: judged([...problems, who], "") };
}

/** Whether a daemon could listen at its address, or this configuration's own daemon already does. */
export async function judgePort(config: BotConfig, host: Host): Promise<Verdict> {
  const { server } = config;
  const address = `${server.host}:${server.port}`;
  try {
    await tryListening(server);
    return judged([], server.port === 0 ? "server.port 0 is any free one" : `${address} is free to listen on`);
  } catch (cause) {
    return (await ownDaemonUrl(config, host)) === urlOf(server)
      ? judged([], `${address} is in use by this configuration's own daemon`)
      : judged([`server: ${address} ${listenFault(cause)}`], "");
  }
}

/** The URL of a running daemon with an account of this configuration. Null: there is none. */
export async function ownDaemonUrl(config: BotConfig, host: Host): Promise<string | null> {
  const daemon = await findDaemon(config, host);
  const status = await askStatus(daemon);
  const ours = new Set(config.accounts.map(({ accountId }) => `${accountId}`));
  return status?.accounts.some(({ accountId }) => ours.has(accountId)) ? daemon.url : null;
}

export function judgeLedger({ file: config, ledger }: BotConfig, { files }: Host): Verdict {
  const { file } = ledger;
  if (file === null) return judged([], "of each run alone, as the embedded exchange: nothing survives a restart");
  const fault = ledgerFault(ledger);
  if (fault !== null) return judged([fault], "");
  if (!files.exists(file)) return judged([`no ledger yet; the first start makes ${file}`], "", "warn");
  try {
    const damage = faultsIn(file);
    if (damage.length > 0) return judged([`${file} is damaged: ${damage.join(", ")}; restore a backup`], "");
    return judged(haltLines(file, config), `${file} is whole, and holds no halt`, "warn");
  } catch (error) {
    return judged([messageOf(error)], "");
  }
}

function faultsIn(file: string): readonly string[] {
  const reading = readSqlite(file);
  try {
    return reading.faults();
  } finally {
    reading.close();
  }
}

export function judgeWatchdog(config: BotConfig, facts: Facts | null): Verdict {
  const { venue, server, watchdog } = config;
  const makeKey = commandText(`keygen --out ${shellWord(join(dirname(config.file), "watchdog.key"))}`);
  const watch = commandText("watchdog", config.file);
  const { accounts } = withoutPaper(config);
  if (accounts.length === 0) return judged([], "every account is on paper: nothing to watch");
  if (venue.kind === "embedded") return judged([], "the embedded exchange ends with the daemon: nothing to watch");
  const without = accounts.filter(({ watchdogKeyFile }) => watchdogKeyFile === null);
  const [first] = without;
  if (first !== undefined)
    return judged(
      [
        `account ${first.accountId} names no watchdogKeyFile: nothing cancels its orders when the daemon hangs; make its key with ${makeKey}, name it there, then start ${watch}`,
      ],
      "",
      "warn",
    );
  const problems = accounts.flatMap(({ accountId, watchdogKeyFile }) => {
    try {
      const { publicKey } = loadAgentKey(watchdogKeyFile ?? "");
      const read = facts?.accounts.get(accountId);
      if (read === undefined || !read.ok) return [`not checked: account ${accountId} cannot be read`];
      if (read.value.agents.some(({ pubkey }) => pubkey === publicKey)) return [];
      return [`the watchdog's key ${publicKey} is not approved on account ${accountId}; have its owner approve it`];
    } catch (error) {
      return [messageOf(error)];
    }
  });
  if (watchdog.daemonUrl === null && server.port === 0)
    problems.push("server.port 0 is any port, which no watchdog can know; say watchdog.daemonUrl");
  return judged(problems, `its keys are approved; run ${watch} beside the daemon, best on another machine`);
}
