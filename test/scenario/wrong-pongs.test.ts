// The clocks: while pongs and the machine's clock differ nothing is added and cancels go by whichever the exchange takes, and what was
// wrong leaves nothing behind. A chain at a lower height is taken up as at a start.

import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSqlite } from "../../src/bot/ledger/sqlite/sqlite.ts";
import { operate } from "../support/operate.ts";
import { type StreamProxy, startStreamProxy } from "../support/stream-proxy.ts";
import { until } from "../support/until.ts";
import { endScenes, openOrdersOf, reachThrough, startDaemon, streamUrlOf } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const HOUR_MS = 3_600_000;

const scene = sceneForEach();
let proxy: StreamProxy;
/** Pongs that were changed. */
let changed: number;

beforeEach(async () => {
  proxy = await startStreamProxy(streamUrlOf(scene));
  changed = 0;
  reachThrough(scene, proxy);
});

afterEach(async () => {
  await endScenes();
  await proxy.close();
});

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;

function shiftPongs(by: { readonly timeMs?: number; readonly blocks?: number }): void {
  proxy.rewrite((pong) => {
    changed += 1;
    const { blockTimeMs, blockHeight } = pong as { readonly blockTimeMs: number; readonly blockHeight: number };
    return { ...pong, blockTimeMs: blockTimeMs + (by.timeMs ?? 0), blockHeight: blockHeight + (by.blocks ?? 0) };
  });
}

type Intent = { readonly command: string; readonly ended: string | null; readonly nonce: number };

/** Transactions that were sent, and the marks that are written down for the next run. */
function journal(): { readonly intents: readonly Intent[]; readonly marks: readonly number[] } {
  const engine = readSqlite(join(scene.folder, "var/quoin.sqlite"));
  try {
    const rows = [...engine.read.rows("intents")];
    const marks = [...new Set(rows.map(({ signer }) => `${signer}`))].map((signer) =>
      Number(engine.read.reservation(signer)),
    );
    const intents = rows.map(({ command, ended, nonce }) => ({
      command: `${command}`,
      ended: ended === null ? null : `${ended}`,
      nonce: Number(nonce),
    }));
    return { intents, marks };
  } finally {
    engine.close();
  }
}

const isEmpty = async (): Promise<boolean> => (await openOrdersOf(scene.validatorUrl)).length === 0;
const isPlace = ({ command }: Intent): boolean => command.includes('"place"');

it("pongs an hour ahead: what rests is canceled by the machine's clock, nothing is added, and then quotes go on", async () => {
  const daemon = await startDaemon(scene);
  await resting(scene, 4);
  shiftPongs({ timeMs: HOUR_MS });
  await until("the cancels of what rested", isEmpty);
  expect(await isReady(daemon.url)).toBe(false);
  expect(JSON.stringify(await statusOf(daemon.url))).toContain("our clock and chain time differ by 1 h");
  const placed = journal().intents.filter(isPlace).length;
  const seen = changed;
  await until("two more pongs that are wrong", () => changed >= seen + 2);
  expect(journal().intents.filter(isPlace)).toHaveLength(placed);
  proxy.rewrite((pong) => pong);
  await resting(scene, 4);
  expect(await daemon.process.end("SIGTERM")).toBe(0);
  expect(await isEmpty()).toBe(true);
  const { intents, marks } = journal();
  for (const mark of marks) expect(Math.abs(mark - Date.now())).toBeLessThan(60_000);
  const executed = intents.filter(({ ended, command }) => ended === "executed" && !command.includes('"cancel"'));
  for (const { nonce } of executed) expect(Math.abs(nonce - Date.now())).toBeLessThan(300_000);
});

it("a machine's clock that is off by more than the exchange takes: cancels go right the first time, nothing is added", async () => {
  const daemon = await startDaemon(scene);
  await resting(scene, 4);
  const before = journal().intents.length;
  const fault = await operate(scene, "POST", "/faults", { kind: "clockOffset", offsetMs: 90_000 });
  expect(fault.status).toBe(200);
  await until("the cancels of what rested", isEmpty);
  const sent = (): readonly Intent[] => journal().intents.slice(before);
  await until("their answers", () => sent().every(({ ended }) => ended !== null));
  expect(new Set(sent().map(({ ended }) => ended))).toEqual(new Set(["executed"]));
  expect(sent().filter(isPlace)).toEqual([]);
  expect(await daemon.process.end("SIGTERM")).toBe(0);
});

it("a chain that goes on at a lower height: recovered as at a start, and quoting again", async () => {
  shiftPongs({ blocks: 1_000_000 });
  const daemon = await startDaemon(scene);
  await resting(scene, 4);
  await until("two pongs", () => changed >= 2);
  shiftPongs({ blocks: 0 });
  await daemon.process.seen(
    "the restart of the chain",
    (text) => text.includes('"event":"chain.restarted"') || undefined,
  );
  const startsOf = (text: string): number => text.split('"event":"ready"').length - 1;
  const url = await daemon.process.seen("the second start", (text) =>
    startsOf(text) === 2 ? [...text.matchAll(/"event":"ready","url":"([^"]+)"/g)].at(-1)?.[1] : undefined,
  );
  await resting(scene, 4);
  await until("ready", () => isReady(url));
  expect(await daemon.process.end("SIGTERM")).toBe(0);
});
