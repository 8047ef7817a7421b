// What a fleet adds to the path from a book frame to a signed order on the socket: the scene of `event-to-send` with all important rows
// written behind to a real PostgreSQL, against the same with only SQLite. Both alternate, so that neither benefits from running later.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/bot/fleet/database.ts";
import { openOutbox } from "../src/bot/fleet/outbox-file.ts";
import { Replica } from "../src/bot/fleet/replica.ts";
import { initFleet } from "../src/bot/fleet/schema.ts";
import { nameShards, register, takeShard } from "../src/bot/fleet/shards.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { CHAIN_ID, measureBot, type Plan, quantile } from "./event-to-send.ts";
import type { Bench } from "./measure.ts";

const NODE = { node: "bench", instance: "bench", leaseMs: 3_600_000 };
const TIMEOUT_MS = 5000;
const PLAN: Plan = { warmUpMoves: 2500, frames: 250 };
const QUICK_PLAN: Plan = { warmUpMoves: 50, frames: 5 };

export const writeBehind: Bench = {
  name: "write-behind",
  async run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), "quoin-bench-"));
    const postgres = await startPostgres();
    const database = openDatabase(await postgres.database("fleet"), TIMEOUT_MS, systemClock);
    try {
      await initFleet(database, { chainId: CHAIN_ID, config: "bench" });
      await register(database.ask, NODE, "bench");
      await nameShards(database.ask, ["12"]);
      const taken = await takeShard(database.ask, NODE, ["12"], true);
      if (taken === undefined) throw new Error("the account is not free");
      const outbox = openOutbox(join(folder, "ledger.sqlite"), taken.epoch);
      const replica = new Replica(taken, { database, outbox, clock: systemClock });
      const samples = { behind: [] as number[], alone: [] as number[] };
      const kinds = ["behind", "alone", "alone", "behind"] as const;
      for (const kind of quick ? kinds.slice(0, 2) : kinds) {
        const { bot } = await measureBot(
          quick ? QUICK_PLAN : PLAN,
          kind === "alone" ? undefined : (engine) => replica.behind(engine),
        );
        samples[kind].push(...bot);
      }
      await replica.flush();
      replica.close();
      const [value, referenceValue] = [quantile(samples.behind, 0.5), quantile(samples.alone, 0.5)];
      return {
        name: "write-behind",
        value,
        unit: "us",
        reference: "SQLite alone",
        referenceValue,
        ratio: value / referenceValue,
        beside: {
          p99: quantile(samples.behind, 0.99),
          aloneP99: quantile(samples.alone, 0.99),
        },
      };
    } finally {
      await database.close();
      await postgres.end();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
