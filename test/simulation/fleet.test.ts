// A fleet under faults: partitions, stalls, suspended machines, drifting clocks, a database that goes away, is slow or fails over. Its laws:
// never two nodes with new exposure on one account; no fill lost or doubled; a halt holds; with peace every account is quoted again.

import { describe, expect, it } from "vitest";
import type { Ask } from "../../src/bot/fleet/database.ts";
import { campaign, firstFound } from "./fleet/campaign.ts";
import { FleetWorld, type Mutation } from "./fleet/fleet-world.ts";

describe("a fleet under faults", () => {
  it("breaks no law, and the same seed is the same world", async () => {
    const first = await campaign({ seeds: 3, minutes: 2, isAsynchronous: true });
    expect(first.violations).toEqual([]);
    expect(first.failovers).toBeGreaterThan(10);
    const again = await campaign({ seeds: 1, minutes: 2, isAsynchronous: true });
    expect(again.digests).toEqual(first.digests.slice(0, 1));
  });

  it("breaks none where every statement brings an announcement, the last of a node that stops included", async () => {
    const mutation: Mutation = {
      database(database) {
        let announce = () => {};
        const announcing: Ask = (text, values) => database.ask(text, values).finally(() => announce());
        return {
          ...database,
          ask: announcing,
          listen(run) {
            announce = run;
            database.listen(run);
          },
        };
      },
    };
    expect((await new FleetWorld({ seed: 1n, minutes: 1, mutation }).live()).violation).toBeNull();
  });

  /** Each with the seed from which it is looked for: the last one shows in one of twenty-six worlds. */
  const mutants: Readonly<Record<string, Mutation & { readonly fromSeed?: number }>> = {
    "whose writes are not checked for their epoch": {
      fromSeed: 5,
      database: (database, model) => {
        /** Whatever epoch a statement names, it is the newest. */
        const unchecked =
          (ask: Ask): Ask =>
          (text, values = []) => {
            const [account, , ...rest] = values;
            const epoch = /epoch = \$2/.test(text) ? model.shard(String(account))?.epoch : undefined;
            return ask(text, epoch === undefined ? values : [account, epoch, ...rest]);
          };
        return {
          ...database,
          ask: unchecked(database.ask),
          inTransaction: (run) => database.inTransaction((ask) => run(unchecked(ask))),
        };
      },
    },
    "whose lease ends by the monotonic clock alone": {
      clock: (clock) => {
        const bootMs = clock.wallMs() - clock.monotonicMs();
        return { ...clock, wallMs: () => bootMs + clock.monotonicMs() };
      },
    },
    "that does not look at the lease once more before it sends": { hasNoLastLook: true, fromSeed: 26 },
  };

  it.each(Object.entries(mutants))("finds a node %s", async (_, mutation) => {
    expect(await firstFound(mutation, mutation.fromSeed)).toMatch(/^(one holder|no fill lost)/);
  });
});
