// The production bot in this process, connected over sockets to the drill's exchange. A drill can fill its disk and freeze its reads.

import { MemoryDisk } from "../../bot/ledger/memory/memory.ts";
import { type Bot, startBot } from "../../bot/service/lifecycle/bot.ts";
import { createLog } from "../../bot/telemetry/log.ts";
import { createMetrics } from "../../bot/telemetry/metrics.ts";
import type { Venue, VenueReads } from "../../bot/venue/port.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../../bot/venue/remote/remote.ts";
import type { Account } from "../../domain/account.ts";
import type { AccountId } from "../../domain/units.ts";
import type { Host } from "../../host/host.ts";
import { createPrng } from "../../kernel/prng.ts";
import { DrillFailed, type Scene } from "./scene.ts";

export type DrillBot = {
  readonly bot: Bot;
  /** Makes the disk full. */
  readonly fillDisk: (isFull: boolean) => void;
  /** Makes reads of accounts repeat their last answer. */
  readonly freezeReads: (isFrozen: boolean) => void;
  /** Throws DrillFailed unless the bot is reconciled with the exchange and quotes every market again. */
  readonly isWell: () => boolean;
  /** Why the bot is not ready. */
  readonly why: () => string;
};

/** Throws StartError. */
export async function startDrillBot(scene: Scene, host: Host): Promise<DrillBot> {
  let isFull = false;
  let isFrozen = false;
  const disk = new MemoryDisk({ failing: () => null, isFull: () => isFull, flush: () => Promise.resolve() });
  const log = createLog("error", { write: () => {}, terminal: false, wallMs: host.clock.wallMs });
  const { validatorUrl, wsUrl } = scene.devnet;
  const modules = { clock: host.clock, prng: createPrng(1n), report: () => {} };
  const venue = createRemoteVenue({ ...defaultRemoteOptions, validatorUrl, wsUrl }, modules);
  const prepared = {
    venue: frozenWhere(venue, () => isFrozen),
    keys: scene.keys,
    reloadKey: async (_: unknown, running: NonNullable<ReturnType<Scene["keys"]["get"]>>) => running,
    ledger: disk.open(),
    ledgerLost: null,
    prng: modules.prng,
    release: () => {},
  };
  const { clock, version, commit } = host;
  const serve = () => Promise.resolve({ url: "", close: () => Promise.resolve() });
  const bot = await startBot(scene.config, prepared, { clock, version, commit, log, metrics: createMetrics(), serve });
  return {
    bot,
    fillDisk(full) {
      isFull = full;
    },
    freezeReads(frozen) {
      isFrozen = frozen;
    },
    isWell: () => bot.status().reasons.length === 0 && scene.isQuoted() && agrees(bot, scene),
    why: () => bot.status().reasons.join("; "),
  };
}

/** Whether the bot knows as many orders as rest at the exchange, and none with an unknown end. */
function agrees(bot: Bot, scene: Scene): boolean {
  const markets = bot.status().accounts.flatMap((account) => account.markets);
  const known = markets.reduce((sum, { bids, asks }) => sum + bids.length + asks.length, 0);
  return known === scene.resting().length && markets.every(({ unknownOrders }) => unknownOrders === 0);
}

function frozenWhere(venue: Venue, isFrozen: () => boolean): Venue {
  const last = new Map<AccountId, Account>();
  const account: VenueReads["account"] = async (id) => {
    const kept = last.get(id);
    if (isFrozen() && kept !== undefined) return kept;
    const read = await venue.reads.account(id);
    last.set(id, read);
    return read;
  };
  return { ...venue, reads: { ...venue.reads, account } };
}

/** Throws DrillFailed when orders may still rest. */
export async function stopCleanly({ bot }: DrillBot, scene: Scene): Promise<void> {
  const remaining = await bot.stop();
  const resting = scene.resting().length;
  if (remaining.length > 0 || resting > 0)
    throw new DrillFailed(`after a clean stop ${resting} orders rest: ${remaining.join("; ")}`);
}
