// A watched configuration that changes while it is read.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Bot } from "../../../../src/bot/service/lifecycle/bot.ts";
import type { Reload } from "../../../../src/bot/service/lifecycle/running-config.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import { watchConfig } from "../../../../src/daemon/configuration/watch.ts";
import { processHost } from "../../../../src/host/process.ts";
import { startKeptThread } from "../../../support/kept-threads.ts";
import { PROJECT } from "../../../support/quoin.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { until } from "../../../support/until.ts";

test("a text that was replaced while it was read is not applied, and the one that stands there is", async () => {
  const file = join(scratchFolder("watched"), "demo.yaml");
  const demo = readFileSync(join(PROJECT, "config/demo.yaml"), "utf8").replace(
    "devnet.yaml",
    join(PROJECT, "config/devnet.yaml"),
  );
  const textOf = (bps: number): string => demo.replace(/halfSpreadBps: [\d.]+/, `halfSpreadBps: ${bps}`);
  writeFileSync(file, textOf(5));
  const applied: unknown[] = [];
  const bot = {
    configVersion: 0,
    reload: async ({ read }: Reload) => {
      const config = await read([]);
      if (config !== null) applied.push(config.accounts[0]?.markets[0]?.strategy.params);
    },
    reloadRefused: () => applied.push("refused"),
  } as unknown as Bot;
  let readings = 0;
  const host = {
    ...processHost,
    startThread(...thread: Parameters<typeof startKeptThread>) {
      const worker = startKeptThread(...thread);
      readings += 1;
      if (readings > 1) return worker;
      // Before the reader of its messages hears that the text is right.
      worker.on("message", ({ kind }: { readonly kind: string }) => {
        if (kind === "right") writeFileSync(file, textOf(7));
      });
      return worker;
    },
  };
  const log = createLog("error", { write: () => {}, terminal: false, wallMs: () => 0 });
  const texts = new Map([[file, textOf(4)]]);
  const unwatch = watchConfig(file, texts, bot, { reaches: () => {} }, host, log);
  await until("it is applied", () => applied.length > 0);
  unwatch();
  expect(applied).toEqual([expect.objectContaining({ halfSpreadBps: 7 })]);
  expect(readings).toBe(2);
});
