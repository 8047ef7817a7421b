// Ledgers of a fleet's accounts: a file for each account on the machine of a node, and what the database has of all of them.

import type { BotConfig, QuotedAccount } from "../bot/config/config.ts";
import type { Database } from "../bot/fleet/database.ts";
import { fillLedger } from "../bot/fleet/replica.ts";
import { shardLines } from "../bot/fleet/shards.ts";
import { MemoryDisk } from "../bot/ledger/memory/memory.ts";
import type { LedgerReads } from "../bot/ledger/store.ts";

/** Beside the place of a daemon's only one. */
export const shardLedgerFile = (
  { ledger, file }: Pick<BotConfig, "ledger" | "file">,
  { accountId }: Pick<QuotedAccount, "accountId">,
): string => (ledger.file ?? file).replace(/(\.[^./\\]*)?$/, (ending) => `.${accountId}${ending}`);

/** Calls `use` with the ledger of one account of the fleet after the other, whichever node has it, rows of chains that ended included. Throws FleetError. */
export async function eachFleetLedger({ ask }: Pick<Database, "ask">, use: (read: LedgerReads) => void): Promise<void> {
  for (const { shard } of await shardLines(ask)) {
    const disk = new MemoryDisk();
    await fillLedger({ ask }, shard, disk.open());
    use(disk.whole());
  }
}
