// The key's secret is nowhere that execution writes or tells: ledger files, events, outcomes, observers. Real key, real file.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { agentKeyOf } from "../../../../src/bot/execution/agent-key.ts";
import { openSqlite } from "../../../../src/bot/ledger/sqlite/sqlite.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { createSigner } from "../../../../src/wire/signing.ts";
import { cancel, modify, place, startedWorld } from "./world.ts";

test("no byte of the seed is in the ledger's files or in anything that is told", async () => {
  const prng = createPrng(5n);
  const seed = Uint8Array.from({ length: 32 }, () => prng.below(256));
  const folder = mkdtempSync(join(tmpdir(), "quoin-secret-"));
  const agentKey = agentKeyOf(createSigner(seed));
  const world = await startedWorld({ engine: openSqlite({ file: join(folder, "l.sqlite") }), execution: { agentKey } });
  world.model.control.fate = () =>
    prng.chance(0.5) ? { arrivesMs: 1, answer: "lost" } : { arrivesMs: 1, answer: "told" };
  // The reservation is synced to a real disk, in real time.
  while (world.model.submitted.length === 0) {
    world.submit([place({ level: 99 })]);
    await world.clock.advance(1);
  }
  for (let n = 0; n < 10; n += 1) {
    world.submit([
      place({ level: n, marketId: n }),
      place({ level: n, reduceOnly: true }),
      cancel(BigInt(n)),
      modify(BigInt(n)),
    ]);
    await world.clock.advance(500);
  }
  let killed = false;
  void world.massCancel({ scope: { orders: "ours", marketId: null } }).then(() => {
    killed = true;
  });
  while (!killed) await world.clock.advance(100);
  const shown = inspect([world.events, world.dropped, world.steps, world.passed, world.execution, agentKey], {
    depth: 20,
    showHidden: true,
    maxArrayLength: null,
  });
  world.close();
  world.ledger.close();
  const files = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  rmSync(folder, { recursive: true });
  expect(files.length).toBeGreaterThan(4096);
  expect(files.includes(agentKey.fingerprint)).toBe(true);
  const secret = Buffer.from(seed);
  const decimal = `${secret[0]},${secret[1]},${secret[2]},${secret[3]}`;
  for (const shape of [
    secret.subarray(0, 8),
    secret.toString("hex").slice(0, 16),
    secret.toString("base64").slice(0, 12),
    decimal,
  ]) {
    expect(files.includes(shape)).toBe(false);
    if (typeof shape === "string") expect(shown).not.toContain(shape);
  }
});
