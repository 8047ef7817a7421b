// Starts an account of a fleet on this node: fills a ledger from the database, cancels what the account's last holder left resting, and
// runs the bot as without a fleet, except that its lease is checked before each send.

import { join } from "node:path";
import type { BotConfig, QuotedAccount } from "../../bot/config/config.ts";
import { Live } from "../../bot/dashboard/live.ts";
import type { AgentKey } from "../../bot/execution/agent-key.ts";
import { reservingFor } from "../../bot/execution/nonces.ts";
import type { Database } from "../../bot/fleet/database.ts";
import { fencedVenue } from "../../bot/fleet/fenced-venue.ts";
import type { Shard, Start } from "../../bot/fleet/node.ts";
import { leftovers, openOutbox, removeLedger } from "../../bot/fleet/outbox-file.ts";
import { fillLedger, Replica, sendLeftover } from "../../bot/fleet/replica.ts";
import { Reserve } from "../../bot/ledger/sqlite/reserve.ts";
import { prepareFolder } from "../../bot/ledger/sqlite/sqlite.ts";
import { type Bot, startBot } from "../../bot/service/lifecycle/bot.ts";
import type { BotModules, MadeBot } from "../../bot/service/lifecycle/build.ts";
import { StartError } from "../../bot/service/lifecycle/start-error.ts";
import { type Routes, stream } from "../../bot/telemetry/http.ts";
import type { EarlierHolder } from "../../domain/allowance.ts";
import type { Host } from "../../host/host.ts";
import { sleep } from "../../kernel/clock.ts";
import { historyFile } from "../history-file.ts";
import { prepareCheckedBot } from "../prepare.ts";
import { recordingOf } from "../recording.ts";
import type { ServedShards } from "./http.ts";
import { shardLedgerFile } from "./ledgers.ts";
import { allowancesOf, takeOver } from "./takeover.ts";

/** How long an ending account waits for the database to take its last records. After that they stay in their file. */
const LAST_MS = 2000;

export type ShardModules = {
  readonly host: Host;
  readonly database: Database;
  readonly bot: Omit<BotModules, "serve">;
  /** Address of the node's HTTP, and its accounts. */
  readonly http: { readonly url: string; readonly tokenFile: string; readonly shards: ServedShards };
  /** Keys of other nodes, used only for a flush fence. */
  readonly fenceKeys: readonly AgentKey[];
  /** Bots at work, whose orders are canceled after an uncaught error. */
  readonly bots: Map<string, MadeBot>;
};

/**
 * Call before the first account is taken. Reserves each ledger's disk space, which later would hold up accounts at work. Sends the records
 * that an earlier run of this node left, unless another node has taken the account since. Throws FleetError.
 */
export async function recoverShards(config: BotConfig, { database, bot: { log } }: ShardModules): Promise<void> {
  for (const account of config.accounts) {
    const file = shardLedgerFile(config, account);
    prepareFolder(file);
    new Reserve(file).take();
    for (const leftover of leftovers(file)) {
      const isSent = await sendLeftover(database, `${account.accountId}`, leftover);
      leftover.remove();
      if (isSent || leftover.lines.length === 0) continue;
      const facts = { event: "fleet.superseded", account: `${account.accountId}`, records: leftover.lines.length };
      log.warn(
        facts,
        `${leftover.lines.length} records came too late: another node has taken the account and asked the exchange`,
      );
    }
  }
}

function quotedIn({ accounts }: BotConfig, account: string): QuotedAccount {
  const quoted = accounts.find(({ accountId }) => `${accountId}` === account);
  if (quoted === undefined) throw new StartError("configuration", `account ${account} is not in the configuration`);
  return quoted;
}

/** The configuration of this account alone, with its own ledger and recording. */
function ownConfig({ recording, ledger, ...config }: BotConfig, quoted: QuotedAccount, file: string): BotConfig {
  const of = `${quoted.accountId}`;
  return {
    ...config,
    accounts: [quoted],
    ledger: { ...ledger, file },
    recording: recording && { ...recording, folder: join(recording.folder, of) },
  };
}

/** Throws StartError, FleetError and LedgerError, and leaves nothing open then. */
export async function startShard(config: BotConfig, start: Start, modules: ShardModules): Promise<Shard> {
  const { host, database, http, bots, fenceKeys } = modules;
  const { taken, lost, isElsewhere, halt } = start;
  const { account, epoch } = taken;
  const quoted = quotedIn(config, account);
  const file = shardLedgerFile(config, quoted);
  // A file from an earlier lease is older than the database.
  removeLedger(file);
  const own = ownConfig(config, quoted, file);
  const recorded = recordingOf(own, modules.bot);
  const prepared = await prepareCheckedBot({ bot: own, devnet: null }, host, modules.bot.log, modules.bot.metrics);
  const replica = new Replica(taken, { database, outbox: openOutbox(file, epoch), clock: host.clock });
  const ledger = replica.behind(prepared.ledger);
  let earlierHolders: readonly EarlierHolder[];
  try {
    await fillLedger(database, account, prepared.ledger);
    earlierHolders = await takeOver(
      { config, quoted, start, agentKey: prepared.keys.get(quoted.accountId) as AgentKey, fenceKeys },
      { clock: host.clock, log: modules.bot.log, venue: prepared.venue, database, ledger },
    );
  } catch (error) {
    replica.close();
    await prepared.venue.close();
    prepared.ledger.close();
    prepared.release();
    throw error;
  }
  let bot: Bot;
  try {
    bot = await startBot(
      own,
      {
        ...prepared,
        venue: fencedVenue(prepared.venue, lost),
        ledger,
        fleet: {
          nonces: reservingFor(config.fleet?.leaseMs ?? 0),
          allowances: allowancesOf(quoted),
          earlierHolders,
          isElsewhere,
        },
        ...(halt !== undefined && { halt }),
      },
      {
        ...modules.bot,
        ...recorded,
        onMade: (made) => void bots.set(account, made),
        serve: async (_, { routes, onPost, ...shown }) => {
          const live = new Live({ clock: host.clock, store: historyFile(null, () => {}), ...shown });
          const events: Routes = new Map([["GET /events", () => stream((sink) => live.open(sink))]]);
          http.shards.serve(account, { routes: new Map([...routes, ...events]), onPost });
          const close = async (): Promise<void> => {
            live.close();
            http.shards.remove(account);
          };
          return { url: http.url, tokenFile: http.tokenFile, close };
        },
      },
    );
  } catch (error) {
    bots.delete(account);
    replica.close();
    throw error;
  }
  return {
    over: bot.chainRestarted,
    state: () =>
      bot.status().accounts.every(({ markets }) => markets.every(({ state }) => state === "halted"))
        ? "halted"
        : "quoting",
    obey: (verb, reason) => http.shards.operate(account, verb, reason),
    resend: () => replica.resend(),
    async end() {
      const remaining = await bot.stop();
      bots.delete(account);
      const flushed = replica.flush().then(
        () => true,
        () => false,
      );
      const isSent = await Promise.race([flushed, sleep(host.clock, LAST_MS).then(() => false)]);
      replica.close();
      for (const metric of modules.bot.metrics.all) metric.removeWhere((labels) => labels.account === account);
      return remaining.length === 0 && isSent;
    },
  };
}
