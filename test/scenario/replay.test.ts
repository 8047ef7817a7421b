// A daemon that records, with a strategy of the operator's own: the recording replays bit for bit when its file has long been another.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { endAll, quoin, quoinDone, quoinProcess } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";
import { statusOf } from "./operator.ts";

const folder = scratchFolder("replay-own");
const at = (name: string): string => join(folder, name);
afterAll(endAll);

const turnsOf = (url: string) => async () =>
  Number(/^quoin_turn_duration_seconds_count (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? 0);

test("edits of a strategy, a kill and a start: every decision comes out again once the file is gone", async () => {
  await quoinDone(["strategy", "new", at("own.ts")]);
  const config = readFileSync(at("own.yaml"), "utf8").replace("port: 9464", "port: 0");
  writeFileSync(at("own.yaml"), `${config}recording: { folder: recordings }\n`);
  const killed = quoinProcess(["run", "--config", at("own.yaml")]);
  const started = async (daemon: Pick<typeof killed, "seen">) => {
    const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    await until("quotes", async () => ((await statusOf(url)).accounts[0]?.markets[0]?.bids.length ?? 0) > 0);
    return url;
  };
  await started(killed);
  const before = readFileSync(at("own.ts"), "utf8");
  writeFileSync(at("own.ts"), before.replace("scaled(given.size, given.outerSize)", "given.size"));
  await killed.seen("the edit", (text) => text.includes(`"event":"market.changed"`));
  await until("records of it", () => readdirSync(at("recordings")).length > 0);
  await killed.end("SIGKILL");

  const daemon = quoin(["run", "--config", at("own.yaml")]);
  const turns = turnsOf(await started(daemon));
  const already = await turns();
  await until("more turns", async () => (await turns()) > already + 20);
  expect(await daemon.end()).toBe(0);
  rmSync(at("own.ts"));

  const { code, stdout, stderr } = await quoinDone(["replay", at("recordings"), "--json"]);
  expect([stderr, code]).toEqual(["", 0]);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ kind: "replay", identical: true });
  expect(result.turns).toBeGreaterThan(20);
});
