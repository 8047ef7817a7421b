// `quoin probe` against a devnet: what is assumed holds there, what is assumed wrongly is told, and no order of it stays.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readYaml } from "../../src/kernel/yaml/yaml.ts";
import { quoinDone } from "../support/quoin.ts";
import { type ApartScene, endScenes, openOrdersOf, startApartScene } from "./daemon.ts";

let scene: ApartScene;
beforeAll(async () => {
  scene = await startApartScene();
});
afterAll(endScenes);

type Row = { readonly probe: number; readonly row: string; readonly holds: boolean | null; readonly seen: string };

/** The last line. */
type Found = {
  readonly dialect: Readonly<Record<string, string>>;
  readonly notLearned: Readonly<Record<string, string>>;
  readonly written: boolean;
};

async function probe(config: string, ...more: readonly string[]) {
  const { code, stdout, stderr } = await quoinDone(["probe", "--config", config, "--json", ...more]);
  const lines = stdout.trim().split("\n");
  const found = JSON.parse(lines.pop() ?? "") as Found;
  return { code, stderr, found, rows: lines.map((line) => JSON.parse(line) as Row) };
}

it("says that every assumption holds on the devnet, in order, and writes the keys that replace them", async () => {
  const out = join(scene.folder, "seen.yaml");
  const { code, rows, found } = await probe(scene.botConfig, "--out", out);
  expect(rows.filter(({ holds }) => holds === false)).toEqual([]);
  expect(rows.map(({ probe: number }) => number)).toEqual(rows.map((_, index) => index + 1));
  expect(code).toBe(0);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  const learned = { modifyPrice: "total", cancel: "event", emptyList: "list" };
  expect(found).toEqual({
    dialect: learned,
    notLearned: {
      modifySize: "needs a partial fill",
      rowSize: "needs a partial fill",
      budget: "no number in a field that is known by name",
    },
    written: false,
  });
  const limits = { assumedOpenOrderCap: 200n, assumedFeeBps: 5n };
  expect(JSON.stringify(readYaml(readFileSync(out, "utf8")).value, asText)).toBe(
    JSON.stringify(
      {
        venue: { chainId: "venue-v4:devnet:chain-2", landingBoundMs: 90_000, dialect: learned },
        accounts: [{ accountId: 12, markets: [{ marketId: 1, limits }] }],
      },
      asText,
    ),
  );
  expect((await quoinDone(["probe", "--config", scene.botConfig, "--out", out])).code).toBe(2);
});

it("tells a landing bound below the exchange's tolerance, sends nothing more, and cancels what was taken", async () => {
  const config = join(scene.folder, "hasty.yaml");
  const yaml = readFileSync(scene.botConfig, "utf8");
  writeFileSync(config, yaml.replace("venue: {", "venue: { landingBoundMs: 10000,"));
  const { code, rows } = await probe(config);
  expect(rows.filter(({ holds }) => holds === false)).toMatchObject([{ row: "52, NS-29", seen: "executed" }]);
  expect(rows.find(({ row }) => row === "92, NS-19")).toMatchObject({ holds: null });
  expect(code).toBe(1);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});

const asText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
