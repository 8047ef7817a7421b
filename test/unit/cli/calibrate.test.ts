// What `quoin calibrate --prints` answers, and how it refuses what it cannot read. Recordings: test/scenario/recorded.test.ts.

import { describe, expect, test } from "vitest";
import { type CalibrateOptions, calibrate as command } from "../../../src/cli/calibrate.ts";
import { createPrng } from "../../../src/kernel/prng.ts";

const HEADER = "parcl_id,date,price_feed";
const row = (series: string, day: number, price: string) =>
  `${series},${new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)},${price}`;
const rising = Array.from({ length: 100 }, (_, day) => row("5826765", day, (200 + day / 10).toFixed(2)));

async function calibrate(
  csv: string | null,
  asked: Partial<Omit<CalibrateOptions, "series">> & { recording?: string; series?: string | null } = {},
  signal = "",
) {
  let [stdout, stderr] = ["", ""];
  const pieces = (file: string) => {
    if (file === "signal.csv") return [signal];
    if (csv === null) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
    return [csv];
  };
  const { recording, series = "5826765", ...options } = asked;
  const exit = await command(
    recording,
    { prints: "prints.csv", ...(series !== null && { series }), from: 60, json: true, ...options },
    {
      files: { pieces },
      stdout: (text) => {
        stdout += `${text}`;
      },
      stderr: (text) => {
        stderr += text;
      },
    },
  );
  return { exit, stdout, stderr };
}

test("prints one object for one of several series, whatever the order of its rows", async () => {
  const others = Array.from({ length: 70 }, (_, day) => row("9", day, "1"));
  const { exit, stdout, stderr } = await calibrate([HEADER, ...others, ...rising.toReversed()].join("\r\n"));
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout.endsWith("}\n")).toBe(true);
  const found = JSON.parse(stdout);
  expect(found).toMatchObject({ kind: "prints", series: "5826765", prints: 100, from: 60, scored: 40 });
  expect(Object.keys(found).slice(5)).toEqual(["rmseRatio", "coverage95", "surpriseBps", "ahead", "gaps"]);
  expect(found.rmseRatio).toBeLessThan(0.3);
});

test("scores further ahead as far as the prints go: null, and in words, where they do not", async () => {
  const { ahead, rmseRatio } = JSON.parse((await calibrate([HEADER, ...rising].join("\n"))).stdout);
  expect(Object.keys(ahead)).toEqual(["1", "5", "20"]);
  expect(ahead["1"]).toBe(rmseRatio);
  for (const prints of ["5", "20"]) expect(ahead[prints]).toBeLessThan(0.5);
  const few = [HEADER, ...rising.slice(0, 45)].join("\n");
  const short = JSON.parse((await calibrate(few, { from: 3 })).stdout);
  expect(short).toMatchObject({ scored: 42, ahead: { "5": expect.any(Number), "20": null } });
  const { stdout } = await calibrate(few, { from: 3, json: false });
  expect(stdout).toContain("20 prints ahead: too few to score");
});

test.each([
  [4, 1],
  [5, 2],
  [20, 17],
  [32, 29],
])("of %i prints, %i scored, no figure is a number, and a sentence says why", async (prints, scored) => {
  const csv = [HEADER, ...rising.slice(0, prints)].join("\n");
  const { exit, stdout } = await calibrate(csv, { from: 1 });
  const says = `${scored} print${scored === 1 ? "" : "s"} scored, and a figure takes 30`;
  const none = { rmseRatio: null, coverage95: null, surpriseBps: null, ahead: { "1": null, "5": null, "20": null } };
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ...{ kind: "prints", series: "5826765", prints, from: 1, scored, gaps: 0 },
    ...none,
    tooFew: says,
  });
  const { stdout: table } = await calibrate(csv, { from: 1, json: false });
  expect(table.trimEnd().split("\n").slice(3)).toEqual([`error     unknown: ${says}`]);
});

test("thirty scored prints are enough for the next one", async () => {
  const csv = [HEADER, ...rising.slice(0, 33)].join("\n");
  const found = JSON.parse((await calibrate(csv, { from: 1 })).stdout);
  expect(found).toMatchObject({ scored: 30, rmseRatio: expect.any(Number), coverage95: expect.any(Number) });
  expect(found).not.toHaveProperty("tooFew");
});

test.each([1, 2, 3])("of %i prints none is scored: exit 1", async (prints) => {
  const answered = await calibrate([HEADER, ...rising.slice(0, prints)].join("\n"), { from: 1 });
  expect(answered).toMatchObject({ exit: 1, stdout: "" });
  expect(answered.stderr).toContain(`has ${prints} print${prints === 1 ? "" : "s"} and none from number 1 on`);
});

test("without --series the only one is taken", async () => {
  const { exit, stdout, stderr } = await calibrate([HEADER, ...rising].join("\n"), { series: null });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ series: "5826765", prints: 100 });
});

test("a value a month is a print, and that and the column are said", async () => {
  const months = Array.from(
    { length: 80 },
    (_, at) =>
      `01/${`${(at % 12) + 1}`.padStart(2, "0")}/${2015 + Math.floor(at / 12)},Bath,E06,${100 + at},${2e5 + at}`,
  );
  const csv = ["Date,RegionName,AreaCode,Index,AveragePrice", ...months].join("\n");
  const { exit, stdout, stderr } = await calibrate(csv, { series: "Bath" });
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ series: "Bath", prints: 80, scored: 20, gaps: 0 });
  expect(stderr).toBe(
    "quoin: prints.csv: takes Index of the columns Index, AveragePrice; name the series Bath:AveragePrice to take another\n" +
      "quoin: prints.csv: has one value a month; each counts as one print, whenever it was published\n",
  );
});

test("without --json a table that a person can read", async () => {
  const { exit, stdout } = await calibrate([HEADER, ...rising].join("\n"), { json: false });
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^series {4}5826765\nprints {4}100, 40 of them scored.*\ngaps {6}none\n/);
});

test("a gap is counted, told, and no step", async () => {
  const gapped = rising.filter((_, day) => day < 80 || day >= 90);
  expect(JSON.parse((await calibrate([HEADER, ...gapped].join("\n"))).stdout)).toMatchObject({
    prints: 90,
    scored: 29,
    gaps: 1,
  });
  const { stdout } = await calibrate([HEADER, ...gapped].join("\n"), { json: false });
  expect(stdout).toContain(
    "1 gap, 10 prints between 2024-03-20 and 2024-03-31; no step is scored or learned across one",
  );
});

test("every fault of a file has a line of its own", async () => {
  const { exit, stderr } = await calibrate(
    [HEADER, ...rising, "5826765,2024-02-30,200", "5826765,2024-13-01,200"].join("\n"),
  );
  expect(exit).toBe(2);
  expect(
    stderr
      .trimEnd()
      .split("\n")
      .map((line) => line.split(":")[2]),
  ).toEqual([" line 102", " line 103"]);
});

test.each([
  ["an unknown series", [HEADER, ...rising].join("\n"), { series: "5826756" }, 2, "did you mean 5826765?"],
  ["a series that nothing is near", [HEADER, ...rising].join("\n"), { series: "us" }, 2, "it has 5826765"],
  ["no such file", null, {}, 2, "prints.csv: no such file"],
  ["another file", "a,b\n1,2", {}, 2, 'prints.csv: line 1 is "a,b", which begins no index file that Quoin knows'],
  [
    "several series and no name",
    [HEADER, ...rising, row("9", 1, "1")].join("\n"),
    { series: null },
    2,
    "prints.csv: has several series; name one: 5826765, 9\n",
  ],
  [
    "a bad price",
    [HEADER, rising[0], "5826765,2024-02-01,abc"].join("\n"),
    {},
    2,
    'prints.csv: line 3: "abc" is not allowed; a value is a number above 0',
  ],
  [
    "a price of zero",
    [HEADER, "5826765,2024-02-01,0"].join("\n"),
    {},
    2,
    'line 2: "0" is not allowed; a value is a number above 0',
  ],
  [
    "a bad date",
    [HEADER, "5826765,1.2.2024,200"].join("\n"),
    {},
    2,
    'line 2: "1.2.2024" is not allowed; a date is a day of the calendar',
  ],
  [
    "a recording beside a series",
    null,
    { recording: "day.qrec" },
    2,
    "what works is calibrate RECORDING, and calibrate --prints FILE [--series ID]",
  ],
  ["too few prints", [HEADER, ...rising].join("\n"), { from: 100 }, 1, "has 100 prints and none from number 100 on"],
] as const)("refuses %s with its reason", async (_name, csv, asked, exit, says) => {
  const answered = await calibrate(csv, asked);
  expect(answered).toMatchObject({ exit, stdout: "" });
  expect(answered.stderr).toContain(says);
});

describe("with a signal", () => {
  const draw = createPrng(3n);
  let [usd, log] = [200, 0];
  const prices = Array.from({ length: 401 }, () => {
    log = 0.7 * log + 0.0004 * draw.gaussian();
    usd *= Math.exp(log);
    return usd;
  });
  const prints = [HEADER, ...prices.slice(0, 400).map((price, day) => row("1", day, price.toFixed(6)))].join("\n");
  /** A row of each day with the price so many days later. */
  const later = (days: number) =>
    [
      "date,value",
      ...prices.slice(0, 400).map((_, day) => `${row("", day, (prices[day + days] ?? 1).toFixed(6)).slice(1)}`),
    ].join("\n");
  const score = (signal: string, more: object = {}) =>
    calibrate(prints, { series: null, signal: "signal.csv", ...more }, signal);

  test("one that knows the next print leaves little of the error, and is worth money", async () => {
    const { exit, stdout } = await score(later(1));
    expect(exit).toBe(0);
    const [first, second] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first.kind).toBe("prints");
    expect(second).toMatchObject({ kind: "signal", signal: "signal.csv", from: 60, scored: 340 });
    expect(second.withoutRatio).toBe(first.rmseRatio);
    expect(second.rmseRatio).toBeLessThan(0.35);
    expect(second.weight).toBeGreaterThan(0.5);
    expect(second.usdcCi95[0]).toBeGreaterThan(0);
  });

  test("forbidden: that one counts before it is known: two days later it is the last print, and worth nothing", async () => {
    const { stdout } = await score(later(1), { publishedAfterDays: 2 });
    const scored = JSON.parse(stdout.trim().split("\n")[1] ?? "");
    expect(scored.squaresRatio).toBeLessThanOrEqual(1.005);
    expect(scored).toMatchObject({ weight: 0, usdcPerContract: 0 });
  });

  test("that was known before few prints has no figure, and a sentence", async () => {
    const late = ["date,value", ...later(1).split("\n").slice(391)].join("\n");
    const scored = JSON.parse((await score(late)).stdout.trim().split("\n")[1] ?? "");
    expect(scored).toMatchObject({
      ...{ scored: 9, rmseRatio: null, withoutRatio: null, squaresRatio: null, usdcPerContract: null, usdcCi95: null },
      tooFew: "9 prints scored, and a figure takes 30",
    });
    expect((await score(late, { json: false })).stdout).toContain("unknown: 9 prints scored");
  });

  test("is said in words", async () => {
    const { stdout } = await score(later(1), { json: false });
    expect(stdout).toMatch(/^worth +[\d.e-]+ USDC per contract and print \(95 %: [\d.e-]+ to [\d.e-]+\)/m);
  });

  test.each([
    [{ signal: "signal.csv" }, "date,value\n2024-01-01,1\n2024-02-01,2\n2024-03-01,3\n", "has one value a month"],
    [{ signal: "signal.csv", signalSeries: "no" }, later(1), "signal.csv: "],
    [{ signalSeries: "x" }, later(1), "go with --signal"],
    [{ publishedAfterDays: 2 }, later(1), "go with --signal"],
  ])("forbidden: %j", async (asked, csv, why) => {
    const { exit, stderr } = await calibrate(prints, { series: null, ...asked }, csv);
    expect(exit).toBe(2);
    expect(stderr).toContain(why);
  });
});
