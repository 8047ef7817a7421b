// What another configuration would do is asked of a daemon that quotes: each answer comes true when the same file is then applied, and until
// then nothing rests differently.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { MarketPreview } from "../../src/bot/service/operator/preview.ts";
import { jsonLines } from "../support/json-lines.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { openOrdersOf, startDaemon } from "./daemon.ts";
import { configBeside, NOBODY, post, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let url: string;
let daemon: Awaited<ReturnType<typeof startDaemon>>["process"];

const ordersNow = async () => (await openOrdersOf(scene.validatorUrl)).map((order) => JSON.stringify(order)).sort();

beforeAll(async () => {
  ({ process: daemon, url } = await startDaemon(scene));
  await until("four resting orders", async () => (await ordersNow()).length === 4);
});

/** A file beside the daemon's, changed. */
const changed = (edit: (yaml: string) => string): string => configBeside(scene, url, edit);

async function previewed(file: string): Promise<readonly MarketPreview[]> {
  const { code, stdout, stderr } = await quoinDone(["preview", "--config", file, "--json"]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return jsonLines(stdout);
}

const change = (setting: string, from: string, to: string, waits: boolean) => ({ setting, from, to, waits });

test.each<[string, (yaml: string) => string, Partial<MarketPreview>]>([
  ["nothing", (yaml) => yaml, { change: "none", keeps: 4, cancels: 0, modifies: 0, places: 0 }],
  [
    "a level more",
    (yaml) => yaml.replace("levels: 2", "levels: 3"),
    { change: "params", keeps: 4, cancels: 0, places: 2, changes: [change("levels", "2", "3", false)] },
  ],
  [
    "a level less",
    (yaml) => yaml.replace("levels: 2", "levels: 1"),
    { change: "params", keeps: 2, cancels: 2, places: 0 },
  ],
  [
    "a wider spread",
    (yaml) => yaml.replace(/halfSpreadBps: \d+/, "halfSpreadBps: 60"),
    { change: "params", cancels: 0, places: 0 },
  ],
  [
    "another strategy",
    (yaml) => yaml.replace("fixed-spread", "glft").replace(/params: .*/, "params: { size: 0.3, maxInventory: 5 }"),
    { change: "strategy" },
  ],
  [
    "a tighter limit, which holds at once",
    (yaml) => yaml.replace(/maxOpenOrders: \d+/, "maxOpenOrders: 10"),
    { change: "limits", keeps: 4, cancels: 0, changes: [change("maxOpenOrders", "20", "10", false)] },
  ],
  [
    "a looser limit, which waits for SIGHUP, and a tighter one beside it",
    (yaml) => yaml.replace(/maxPosition: \d+/, "maxPosition: 30").replace(/maxOpenOrders: \d+/, "maxOpenOrders: 10"),
    {
      change: "limits",
      changes: [change("maxPosition", "20", "30", true), change("maxOpenOrders", "20", "10", false)],
    },
  ],
  [
    "a size that needs a looser limit, and waits with it",
    (yaml) => yaml.replace(/maxOrderSize: \d+/, "maxOrderSize: 4").replace(/ size: [\d.]+/, " size: 3"),
    { changes: [change("size", "0.2", "3", true), change("maxOrderSize", "2", "4", true)] },
  ],
])("%s: what it would change is said, and nothing is changed", async (_, edit, expected) => {
  const before = await ordersNow();
  const [market, ...others] = await previewed(changed(edit));
  expect(others).toEqual([]);
  expect(market).toMatchObject({ accountId: "12", marketId: 1, ...expected });
  expect(await ordersNow()).toEqual(before);
  expect(daemon.stdout()).not.toContain("market.changed");
});

test("the worst case is the position with all orders of a side filled", async () => {
  const sizes = (await openOrdersOf(scene.validatorUrl)) as unknown as readonly {
    readonly size: string | number;
    readonly side: string;
  }[];
  const sum = (side: string) =>
    sizes.filter((order) => order.side === side).reduce((total, { size }) => total + Number(size) / 1e6, 0);
  const [market] = await previewed(changed((yaml) => yaml));
  expect(Number(market?.worstCase.buy)).toBeCloseTo(sum("Long"), 6);
  expect(Number(market?.worstCase.sell)).toBeCloseTo(-sum("Short"), 6);
});

test("for people it is a line a market, and one for each other part that differs", async () => {
  const edit = (yaml: string) =>
    yaml
      .replace("levels: 2", "levels: 3")
      .replace(/maxPosition: \d+/, "maxPosition: 30")
      .replace("accountId: 12", "accountId: 12\n    limits: { maxLoss: 900 }");
  const { stdout } = await quoinDone(["preview", "--config", changed(edit)]);
  expect(stdout).toMatch(
    /^account 12 market 1: levels 2 -> 3; maxPosition 20 -> 30, waits for SIGHUP; keeps 4, moves 0, cancels 0, places 2; worst case -\d\S* to \d\S* contracts\n/,
  );
  expect(stdout).toContain("\naccount 12: maxLoss unset -> 900");
});

test("--token-file names the file with the daemon's token; one that is not there is refused by its name", async () => {
  const elsewhere = changed((yaml) => `${yaml}\n`.replace(/ledger: .*/, "ledger: { file: other/quoin.sqlite }"));
  const refused = await quoinDone(["preview", "--config", elsewhere]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("; --token-file FILE names the file with the daemon's token\n"),
  ]);
  const tokenFile = (file: string) => quoinDone(["preview", "--config", elsewhere, "--token-file", file]);
  const { code, stdout } = await tokenFile(join(scene.folder, "var/admin.token"));
  expect([code, stdout]).toEqual([0, expect.stringContaining("market 1: unchanged;")]);
  expect(stdout).toContain("a change of ledger needs a restart\n");
  const none = join(scene.folder, "none.token");
  expect(await tokenFile(none)).toMatchObject({ code: 2, stderr: `quoin: --token-file: ${none} does not exist\n` });
});

test("a parameter's change, as an operator would set it: what it would do is said, and nothing is changed", async () => {
  const before = await ordersNow();
  const body = { account: "12", market: 1, params: { levels: 1 } };
  const answer = await post(url, "/preview", body);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ markets: [{ change: "params", cancels: 2, keeps: 2 }] });
  expect(await ordersNow()).toEqual(before);
  expect((await post(url, "/preview", { ...body, params: { levels: 0 } })).status).toBe(400);
});

test("its own file as it is saved: what waits for SIGHUP there, and a fault in it", async () => {
  const saved = readFileSync(scene.botConfig, "utf8");
  const ask = async () => {
    const answer = await post(url, "/preview", { saved: true });
    return [answer.status, await answer.json()];
  };
  expect(await ask()).toMatchObject([200, { markets: [{ change: "none" }] }]);
  writeFileSync(scene.botConfig, saved.replace(/maxPosition: \d+/, "maxPosition: 99"));
  expect(await ask()).toMatchObject([200, { markets: [{ change: "limits", cancels: 0 }] }]);
  writeFileSync(scene.botConfig, saved.replace(/maxPosition: \d+/, "maxPosition: no"));
  expect(await ask()).toMatchObject([400, { error: expect.stringContaining("maxPosition") }]);
  writeFileSync(scene.botConfig, saved);
  expect((await post(url, "/preview", { saved: true, file: scene.botConfig })).status).toBe(400);
});

test("forbidden: a strategy that is previewed changes the facts that the live one quotes on", async () => {
  writeFileSync(
    join(scene.folder, "writes.ts"),
    `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "writes", summary: "Writes.", params: z.strictObject({}), start: () => ({}),
  quote(view) {
    if (view.orders.length > 0) {
      view.oracle.value.validUntilSec = 0;
      view.book.value.bids.splice(0);
      view.orders.splice(0);
    }
    return { quotes: [], fairValueUsd: null, reason: "it writes" };
  },
});
`,
  );
  const before = await ordersNow();
  const file = changed((yaml) => yaml.replace("fixed-spread", "./writes.ts").replace(/params: .*/, "params: {}"));
  expect(await previewed(file)).toMatchObject([{ change: "strategy" }]);
  // The market is looked at each second.
  const heightOf = async () => (await statusOf(url)).height ?? 0;
  const height = await heightOf();
  await until("two seconds of blocks", async () => (await heightOf()) > height + 8);
  expect(await ordersNow()).toEqual(before);
});

test("what it said comes true", async () => {
  const [market] = await previewed(changed((yaml) => yaml.replace("levels: 2", "levels: 3")));
  const before = new Set(await ordersNow());
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace("levels: 2", "levels: 3"));
  await until("six resting orders", async () => (await ordersNow()).length === 6);
  const kept = (await ordersNow()).filter((order) => before.has(order));
  expect(kept).toHaveLength(market?.keeps ?? 0);
});

test("a file that is wrong, and a daemon that is not there, are said", async () => {
  const wrong = changed((yaml) => yaml.replace("levels:", "level:"));
  expect(await quoinDone(["preview", "--config", wrong])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("level"),
  });
  for (const body of [{}, { file: "relative.yaml" }, { file: join(scene.folder, "none.yaml") }, { file: wrong }, "no"])
    expect((await post(url, "/preview", body)).status).toBe(400);
  const alone = changed((yaml) => yaml.replace(/port: \d+/, `port: ${new URL(NOBODY).port}`));
  expect(await quoinDone(["preview", "--config", alone])).toMatchObject({
    code: 1,
    stderr: "quoin: no daemon answers at http://127.0.0.1:9\n",
  });
});
