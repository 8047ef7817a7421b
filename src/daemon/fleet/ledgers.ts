// Where the ledgers of a fleet's accounts are: a file per account on a node's machine, and all of them in the database.

import type { BotConfig, QuotedAccount } from "../../bot/config/config.ts";
import type { Database } from "../../bot/fleet/database.ts";
import { fillLedger } from "../../bot/fleet/replica.ts";
import { shardLines } from "../../bot/fleet/shards.ts";
import { MemoryDisk } from "../../bot/ledger/memory/memory.ts";
import type { LedgerReads } from "../../bot/ledger/store.ts";

/** The path of a daemon's ledger, with the account before the extension. */
export const shardLedgerFile = (
  { ledger, file }: Pick<BotConfig, "ledger" | "file">,
  { accountId }: Pick<QuotedAccount, "accountId">,
): string => (ledger.file ?? file).replace(/(\.[^./\\]*)?$/, (ending) => `.${accountId}${ending}`);

/** Calls `use` with each account's ledger from the database, ended chains included. Throws FleetError. */
export async function eachFleetLedger(
  { ask }: Pick<Database, "ask">,
  use: (read: LedgerReads, account: string) => void,
): Promise<void> {
  for (const { shard } of await shardLines(ask)) {
    const disk = new MemoryDisk();
    await fillLedger({ ask }, shard, disk.open());
    use(disk.whole(), shard);
  }
}
