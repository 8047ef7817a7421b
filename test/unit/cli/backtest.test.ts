// The command: what it prints, whatever the number of threads; what it refuses; how it is stopped and goes on.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { expect, test } from "vitest";
import { type BacktestOptions, backtest } from "../../../src/cli/backtest.ts";
import type { Host } from "../../../src/host/host.ts";
import { processHost } from "../../../src/host/process.ts";
import { recordedScene } from "../../support/recorded-scene.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { backtestFiles } from "../backtest/scene.ts";

const config = backtestFiles();
/** A third of a simulated minute each: two strategies come to quote. */
const options: BacktestOptions = {
  config: [config],
  recording: [],
  holdout: 0,
  days: 0.000_25,
  fixedWorld: false,
  seeds: 2,
  seed: 1n,
  set: [],
  workers: 2,
  queue: false,
  shortcuts: true,
  approximate: false,
  json: true,
};
const HALF = "accounts.12.markets.1.params.halfSpreadBps";

async function run(changes: Partial<BacktestOptions>, hostChanges: Partial<Host> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const host: Host = {
    ...processHost,
    stdout: (text) => void out.push(`${text}`),
    stderr: (text) => void err.push(`${text}`),
    terminal: { stdout: false, stderr: false },
    onSignal: () => () => {},
    ...hostChanges,
  };
  const code = await backtest({ ...options, ...changes }, host);
  return { code, lines: out.join("").split("\n").slice(0, -1), errors: err.join("") };
}

test("runs come by cell, then by seed, the same bytes on one thread and on two; what is finished is not repeated", async () => {
  const resume = join(scratchFolder("resume"), "sweep.jsonl");
  const set = [`${HALF}=4,8`];
  const two = await run({ set, resume });
  const one = await run({ set, seeds: 1, workers: 1 }, { terminal: { stdout: false, stderr: true } });
  const again = await run({ set, resume });
  expect([two.code, one.code, again.code]).toEqual([0, 0, 0]);
  expect(one.lines.slice(0, -1)).toEqual(two.lines.filter((line) => JSON.parse(line).seed === 1));
  expect(again.lines.slice(0, -1)).toEqual(two.lines.slice(0, -1));
  const parsed = two.lines.map((line) => JSON.parse(line));
  expect(parsed.map(({ kind, seed, set: of }) => [kind, seed, of?.[HALF]])).toEqual([
    ["run", 1, 4],
    ["run", 2, 4],
    ["run", 1, 8],
    ["run", 2, 8],
    ["summary", undefined, undefined],
  ]);
  expect(parsed.slice(0, 4).every(({ residual }) => residual === "0")).toBe(true);
  const [first, second, third, fourth] = parsed.map(({ world }) => world);
  expect([third, fourth], "equal seeds draw the same world for every setting").toEqual([first, second]);
  expect(second).not.toEqual(first);
  const { runs, cells, differences, simulatedMs } = parsed[4];
  expect([runs, simulatedMs]).toEqual([4, 4 * 21_600]);
  expect(cells.map(({ runs: of }: { runs: number }) => of)).toEqual([2, 2]);
  expect(differences).toMatchObject([{ seeds: 2, verdict: expect.any(String) }]);
  expect(cells[0].pnlMean).toBeCloseTo((Number(parsed[0].pnl) + Number(parsed[1].pnl)) / 2, 5);
  expect([two.errors, one.errors], "progress is for a terminal").toEqual([
    "",
    expect.stringMatching(/^\r\[\.+\] 0 %\r[^\n]*100 % of 2 runs *\r +\r$/),
  ]);
  // Of a line that was cut off when the process died nothing is believed; the other runs are.
  writeFileSync(resume, readFileSync(resume, "utf8").slice(0, -20));
  const cutOff = await run({ set, resume });
  expect(cutOff.lines.slice(0, -1)).toEqual(two.lines.slice(0, -1));
  expect(readFileSync(resume, "utf8").trimEnd().split("\n")).toHaveLength(4);
});

test("an edit of a devnet that --set names is seen: its run is made again and is another", async () => {
  const other = join(dirname(config), "other.yaml");
  writeFileSync(other, readFileSync(join(dirname(config), "devnet.yaml"), "utf8"));
  const resume = join(scratchFolder("edited"), "sweep.jsonl");
  const sweep = { seeds: 1, workers: 1, resume, set: ["venue.embedded=devnet.yaml,other.yaml"] };
  const rootsOf = ({ lines }: { readonly lines: readonly string[] }) =>
    lines.slice(0, -1).map((line) => JSON.parse(line).stateRoot);
  const [first, same] = rootsOf(await run(sweep));
  expect(same).toBe(first);
  writeFileSync(other, readFileSync(other, "utf8").replace("blockTimeMs: 400", "blockTimeMs: 500"));
  const [again, edited] = rootsOf(await run(sweep));
  expect(again).toBe(first);
  expect(edited).not.toBe(first);
});

test("named worlds run on the same seeds; rows carry the name, and the summary the worst quarter of the runs", async () => {
  const world = join(scratchFolder("worlds"), "worlds.yaml");
  writeFileSync(world, "usual: {}\nquiet: { flow: { noiseTakersPerSec: { times: 0.5 } } }\n");
  const resume = join(scratchFolder("named"), "sweep.jsonl");
  const { code, lines } = await run({ world, resume, workers: 1 });
  expect(code).toBe(0);
  const parsed = lines.map((line) => JSON.parse(line));
  const runs = parsed.slice(0, -1);
  expect(runs.map(({ set, seed }) => [set, seed])).toEqual([
    [{ world: "usual" }, 1],
    [{ world: "usual" }, 2],
    [{ world: "quiet" }, 1],
    [{ world: "quiet" }, 2],
  ]);
  expect(new Set(runs.map(({ stateRoot }) => stateRoot)).size, "each world is another").toBe(4);
  const usual = await run({ workers: 1 });
  expect(JSON.parse(usual.lines[0] ?? "").stateRoot, "an empty world is the configured one").toBe(runs[0].stateRoot);
  const [worst] = runs.toSorted((a, b) => Number(a.pnl) - Number(b.pnl));
  expect(parsed[4]).toMatchObject({
    cells: [{ set: { world: "usual" } }, { set: { world: "quiet" } }],
    differences: [],
    worstQuartile: { runs: 1, pnlMean: Number(worst.pnl), worlds: { [worst.set.world]: 1 } },
  });
  const table = await run({ world, resume, workers: 1, json: false });
  expect(table.lines.at(-1)).toMatch(/^worst quarter, 1 run: -?\d+\.\d\d USDC a run \((usual|quiet) 1\)$/);
});

test.each([
  [["4,8"], /--world runs one setting, and --config and --set name 2/],
  [["4"], /worlds.yaml:1:14: a\.flow\.makers: -1 is not allowed/],
])("named worlds with %s for a parameter are refused", async (values, why) => {
  const world = join(scratchFolder("worlds"), "worlds.yaml");
  writeFileSync(world, "a: { flow: { makers: -1 } }");
  const { code, errors } = await run({ world, set: values.map((value) => `${HALF}=${value}`) });
  expect([code, errors]).toEqual([2, expect.stringMatching(why)]);
});

test("a fixed world is as configured for every seed", async () => {
  const { lines } = await run({ fixedWorld: true, days: 0.000_05, warmUp: 0 });
  const worlds = lines.slice(0, -1).map((line) => JSON.parse(line).world);
  expect(worlds).toMatchObject([{ isDrawn: false, orderMs: 400, informedShare: 0.1 }, worlds[0]]);
});

test("a table for people says what its figures are of, and by how much the best setting is better", async () => {
  const { code, lines } = await run({ set: [`${HALF}=4,8`], days: 0.0001, warmUp: 0.000_05, json: false });
  expect(code).toBe(0);
  const [head, , , counted, , pairs, pair, meaning] = lines;
  expect(head).toMatch(/ pnl at mid .* at print {2}closed .* actions\/day /);
  expect(counted).toBe("USDC of 0.0001 days, after 0.00005 days of warm-up; each seed draws its own world.");
  expect([pairs, pair]).toEqual([
    expect.stringMatching(/^halfSpreadBps=\d less {2}USDC a run {2}95 % from .* p {2}seeds/),
    expect.stringMatching(/^halfSpreadBps=\d .* 2 {2}(better|unclear)$/),
  ]);
  expect(meaning).toMatch(/^Paired on equal seeds/);
});

test("stopped it prints what it has, and has failed", async () => {
  const stopped = await run({ days: 300 }, { onSignal: stopAtOnce });
  expect(stopped.code).toBe(1);
  expect(stopped.lines).toHaveLength(1);
  expect(JSON.parse(stopped.lines[0] ?? "")).toMatchObject({ kind: "summary", runs: 0, cells: [] });
  expect(stopped.errors).toBe("stopped after 0 of 2 runs\n");
});

function stopAtOnce(_: string, stop: () => void): () => void {
  stop();
  return () => {};
}

test.each([
  [[`${HALF}=0`], /^quoin: --set .*halfSpreadBps=0: .*allowed/],
  [["accounts.12.markets.1.params.halfSpreadBp=1"], /halfSpreadBps/],
  [["accounts.12.market.1.params.size=1"], /names nothing|market/],
  [["nonsense"], /write it as PATH=V1,V2/],
])("%j is wrong usage, and nothing runs", async (set, says) => {
  const { code, lines, errors } = await run({ set });
  expect([code, lines]).toEqual([2, []]);
  expect(errors).toMatch(says);
});

test.each([
  ["", /^quoin: \S+bot\.yaml has no fleet: name databaseUrlFile and node there\n$/],
  [
    "https://quoin:hunter2@db.example.com/fleet",
    /^quoin: fleet\.databaseUrlFile: \S+: it holds no postgres:\/\/ URL\n$/,
  ],
  ["postgres://quoin:hunter2@127.0.0.1:1/fleet", /^quoin: the fleet's database: [^\n]*ECONNREFUSED[^\n]*\n$/],
])("a queue in the database %j: one line, exit 1, and no password in it", async (url, says) => {
  const folder = dirname(backtestFiles());
  const file = join(folder, "bot.yaml");
  if (url !== "") {
    writeFileSync(join(folder, "database.url"), url, { mode: 0o600 });
    writeFileSync(file, `${readFileSync(file, "utf8")}fleet: { databaseUrlFile: database.url, node: a }\n`);
  }
  const { code, lines, errors } = await run({ config: [file], queue: true });
  expect([code, lines]).toEqual([1, []]);
  expect(errors).toMatch(says);
  expect(errors).not.toContain("hunter2");
});

test("a bot of an exchange elsewhere cannot be backtested", async () => {
  const file = join(scratchFolder("remote"), "bot.yaml");
  const text = readFileSync(config, "utf8").replace("embedded: devnet.yaml", "validatorUrl: http://127.0.0.1:1");
  writeFileSync(file, text.replace("accountId: 12", "accountId: 12\n    agentKeyFile: agent.key"));
  const { code, errors } = await run({ config: [file] });
  expect(code).toBe(2);
  expect(errors).toMatch(/venue\.embedded is missing/);
});

/** Another library reads them back. Decimals come as whole numbers. */
function rowsOf(file: string): readonly { readonly seed: string; readonly equity: bigint; readonly pnl: bigint }[] {
  const table = tableFromIPC(readParquet(readFileSync(file)).intoIPCStream());
  const whole = (cell: unknown): unknown =>
    cell instanceof Uint32Array
      ? BigInt.asIntN(
          128,
          [...cell].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
        )
      : cell;
  const names = table.schema.fields.map(({ name }) => name);
  return Array.from({ length: table.numRows }, (_, at) =>
    Object.fromEntries(names.map((name) => [name, whole(table.getChild(name)?.get(at))])),
  ) as never;
}

/** Beside the scene's file, changed. */
function changed(name: string, edit: (yaml: string) => string): string {
  const file = join(dirname(config), name);
  writeFileSync(file, edit(readFileSync(config, "utf8")));
  return file;
}

test("two configurations are compared on the same seeds, and each has its name", async () => {
  const wide = changed("wide.yaml", (yaml) => yaml.replace(/halfSpreadBps: \d+/, "halfSpreadBps: 9"));
  const { code, lines } = await run({ config: [config, wide] });
  expect(code).toBe(0);
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(all.slice(0, -1).map(({ seed, set }) => [seed, set])).toEqual([
    [1, { config: "bot.yaml" }],
    [2, { config: "bot.yaml" }],
    [1, { config: "wide.yaml" }],
    [2, { config: "wide.yaml" }],
  ]);
  expect(all.at(-1)).toMatchObject({ differences: [{ seeds: 2, set: { config: expect.any(String) } }] });
});

test("configurations of two exchanges are not compared: equal seeds would be different worlds", async () => {
  const other = join(dirname(config), "other-devnet.yaml");
  writeFileSync(other, readFileSync(join(dirname(config), "devnet.yaml"), "utf8").replace("seed: 7", "seed: 8"));
  const elsewhere = changed("elsewhere.yaml", (yaml) => yaml.replace("devnet.yaml", "other-devnet.yaml"));
  const { code, errors } = await run({ config: [config, elsewhere] });
  expect(code).toBe(2);
  expect(errors).toMatch(/elsewhere\.yaml embeds another exchange than .*bot\.yaml; compare on one\n$/);
});

test("seeds that are held out are run by the best setting alone, and are no part of the sweep", async () => {
  const sweep = { set: [`${HALF}=4,9`] };
  const before = await run(sweep);
  const { code, lines } = await run({ ...sweep, holdout: 2 });
  expect(code).toBe(0);
  expect(lines.slice(0, -1)).toEqual(before.lines.slice(0, -1));
  const { cells, holdout } = JSON.parse(lines.at(-1) ?? "") as {
    readonly cells: readonly { readonly set: object; readonly pnlMean: number }[];
    readonly holdout: { readonly set: object; readonly pickedAtMean: number };
  };
  const best = cells.reduce((one, other) => (other.pnlMean > one.pnlMean ? other : one));
  expect(holdout).toMatchObject({ set: best.set, runs: 2, seeds: [3, 4], pickedAtMean: best.pnlMean });
});

test("fills and equity are written as Parquet: as many fills as the runs count", async () => {
  const out = join(scratchFolder("series"), "out");
  const { code, lines } = await run({ out, holdout: 1 });
  expect(code).toBe(0);
  const fills = rowsOf(join(out, "fills.parquet"));
  const counted = lines
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line) as { readonly markets: readonly { readonly fills: number }[] }).markets)
    .reduce((sum, market) => sum + market.fills, 0);
  const inSweep = fills.filter(({ seed }) => seed !== "3");
  expect(inSweep).toHaveLength(counted);
  const equity = rowsOf(join(out, "equity.parquet"));
  expect(new Set(equity.map(({ seed }) => seed))).toEqual(new Set(["1", "2", "3"]));
  const starts = new Set(equity.map(({ seed, equity: worth, pnl }) => `${seed} ${worth - pnl}`));
  expect(starts.size, "each run begins with one equity").toBe(3);
});

test("an account on paper is one of the backtest's exchange, with the collateral that it begins with", async () => {
  const file = changed("paper.yaml", (yaml) =>
    yaml.replace("accountId: 12", "accountId: 99\n    paper: { collateral: 5000 }"),
  );
  const { code, lines } = await run({ config: [file], seeds: 1 });
  expect(code).toBe(0);
  const { equityStart, markets } = JSON.parse(lines[0] ?? "") as {
    readonly equityStart: string;
    readonly markets: readonly { readonly accountId: string }[];
  };
  expect(Number(equityStart)).toBeCloseTo(5000, 0);
  expect(markets.map(({ accountId }) => accountId)).toEqual(["99", "99"]);
});

/** A configuration whose first market is quoted by a strategy that runs `body` before it quotes. */
function withOwn(body: string): string {
  const file = backtestFiles();
  const params = "{ halfSpreadBps: 4, size: 0.5, levels: 2, stepBps: 4 }";
  const text = readFileSync(file, "utf8");
  expect(text).toContain(`strategy: fixed-spread, params: ${params}`);
  writeFileSync(
    file,
    text.replace(`strategy: fixed-spread, params: ${params}`, "strategy: ./own.ts, params: { halfSpreadBps: 4 }"),
  );
  writeFileSync(
    join(dirname(file), "own.ts"),
    `import { defineStrategy, fairValueUsd, levelQuotes, noQuotes, sizeFromContracts } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "own", summary: "Own.", params: z.strictObject({ halfSpreadBps: z.number() }), start: () => ({ turns: 0 }),
  quote(view, params, memory) {
    memory.turns += 1;
    const size = sizeFromContracts(0.5);
    const fairUsd = fairValueUsd(view, "mid", size);
    if (fairUsd === undefined) return noQuotes("the fair value is unknown");
    ${body}
    const side = (sign) => [{ usd: fairUsd * (1 + (sign * params.halfSpreadBps) / 10_000), size }];
    return levelQuotes(view, { fairValueUsd: fairUsd, bids: side(-1), asks: side(1), maxInventory: sizeFromContracts(5) });
  },
});
`,
  );
  return file;
}

test("a strategy that throws in every turn is named once with its line, whatever the number of runs, and exit is 2", async () => {
  const file = withOwn('throw new Error(`no ${"data"}`);');
  const { code, errors, lines } = await run({ config: [file] });
  const at = `${join(dirname(file), "own.ts")}:10`;
  expect([code, errors.split("\n")]).toEqual([
    2,
    [
      `quoin: strategy own threw: no data at ${at}`,
      expect.stringMatching(
        /^quoin: strategy own had no quotes in \d+ turns, because of this fault; after the warm-up it never quoted: its figures say nothing$/,
      ),
      "",
    ],
  ]);
  const [first] = lines.map((line) => JSON.parse(line));
  expect(first.markets[0].faults).toEqual({ turns: expect.any(Number), words: [`threw: no data at ${at}`] });
  expect(first.markets[1], "the other strategy quotes").not.toHaveProperty("faults");
});

test("a strategy that throws in some turns has its turns counted; a changing text is no flood; exit is 0", async () => {
  const file = withOwn("if (memory.turns % 7 === 0) throw new Error(`turn ${memory.turns}`);");
  // The log has a fault once a minute: minutes, so that a run has as many texts as it keeps.
  const { code, errors } = await run({ config: [file], days: 0.0025 });
  const said = errors.split("\n").slice(0, -1);
  expect([code, said.length]).toEqual([0, 5]);
  expect(said.slice(3)).toEqual([
    expect.stringMatching(/^quoin: strategy own has \d+ further faults?$/),
    expect.stringMatching(/^quoin: strategy own had no quotes in \d+ turns, because of these faults$/),
  ]);
});

test("of a sweep the settings that never quoted are named", async () => {
  const file = withOwn('if (params.halfSpreadBps > 5) throw new Error("too wide");');
  const { code, errors } = await run({ config: [file], set: [`${HALF}=4,6,7`], seeds: 1 });
  expect([code, errors.split("\n").slice(0, -1)]).toEqual([
    2,
    [
      expect.stringContaining("quoin: strategy own threw: too wide at "),
      expect.stringContaining("it never quoted with halfSpreadBps=6 or halfSpreadBps=7: its figures"),
    ],
  ]);
});

test("--approximate: each row says so, the same bytes each time, in tapes that lie in the user's private folder", async () => {
  const privateFolder = join(scratchFolder("private"), "quoin");
  const screened = { approximate: true, seeds: 1, workers: 1, days: 0.002, set: [`${HALF}=4,40`] };
  const first = await run(screened, { privateFolder });
  const again = await run(screened, { privateFolder });
  expect([first.code, again.code, first.errors]).toEqual([0, 0, ""]);
  expect(again.lines.slice(0, -1)).toEqual(first.lines.slice(0, -1));
  expect(first.lines.slice(0, -1).map((line) => JSON.parse(line).approximate)).toEqual([true, true]);
  expect(readdirSync(join(privateFolder, "tapes"))).toHaveLength(1);
});

test("several recordings: in the order of time, paired from print to print, the last held out, and none run twice", async () => {
  const [first = "", second = "", third = ""] = await recordedScene(config, 3, 0.05);
  const { days: _, ...base } = options;
  const inRecordings = (changes: Partial<BacktestOptions>) =>
    run({ ...base, days: undefined as never, seeds: 1, set: [`${HALF}=4,9`], ...changes });
  const resume = join(scratchFolder("recorded"), "runs.jsonl");
  const whole = await inRecordings({ recording: [third, first, second], holdout: 1, resume });
  expect(whole).toMatchObject({ code: 0, errors: "" });
  const objects = whole.lines.map((line) => JSON.parse(line));
  expect(objects.slice(0, -1).map(({ recording, set }) => [recording, set[HALF]])).toEqual([
    ["day-1", 4],
    ["day-2", 4],
    ["day-1", 9],
    ["day-2", 9],
  ]);
  for (const { pnl, blocks, residual } of objects.slice(0, -1)) {
    expect(residual).toBe("0");
    expect(blocks.reduce((sum: number, block: { readonly pnl: number }) => sum + block.pnl, 0)).toBeCloseTo(pnl, 4);
    expect(blocks.length).toBeGreaterThanOrEqual(6);
  }
  const { cells, differences, holdout } = objects.at(-1);
  expect(cells[0].pnlCi95).toEqual([expect.any(Number), expect.any(Number)]);
  const inBoth = objects[0].blocks.length + objects[1].blocks.length;
  expect(differences).toMatchObject([{ seeds: 2, blocks: inBoth, p: expect.any(Number) }]);
  expect(holdout).toMatchObject({ runs: 1, recordings: ["day-3"] });

  const rows = readFileSync(resume, "utf8");
  const again = await inRecordings({ recording: [first, second, third], holdout: 1, resume, workers: 1 });
  expect(again.lines.slice(0, -1)).toEqual(whole.lines.slice(0, -1));
  expect(readFileSync(resume, "utf8")).toBe(rows);
  const alone = join(dirname(resume), "first.jsonl");
  await inRecordings({ recording: [first], resume: alone });
  for (const other of [{ recording: [second] }, { recording: [], days: 0.0001 }])
    expect(await inRecordings({ ...other, resume: alone })).toEqual({
      code: 2,
      lines: [],
      errors: `quoin: --resume ${alone} has runs of another recording, or of the devnet; name another file\n`,
    });
  const page = join(dirname(resume), "page.html");
  const table = await inRecordings({ recording: [first, second], report: page, json: false });
  expect(table.lines.join("\n")).toContain("Paired on equal stretches from print to print.");
  expect(readFileSync(page, "utf8")).toContain("2 recordings");

  const copy = join(scratchFolder("copied"), "copy");
  cpSync(first, copy, { recursive: true });
  expect((await inRecordings({ recording: [first, copy] })).errors).toMatch(
    /copy overlaps .*day-1 in time|day-1 overlaps .*copy in time/,
  );
  expect((await inRecordings({ recording: [first, first] })).errors).toMatch(/appears twice/);
  expect((await inRecordings({ recording: [first], holdout: 1 })).errors).toMatch(
    /--holdout 1 keeps recordings out, and there is 1/,
  );
  expect((await inRecordings({ recording: [first], warmUp: 1 })).errors).toMatch(
    /day-1 lasts .* --warm-up takes all of/,
  );
});
