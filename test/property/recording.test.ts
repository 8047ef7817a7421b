// What is recorded reads back exactly, and a recording that was cut off at any byte is read up to there: whole entries, in their order.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry, Start } from "../../src/bot/recording/entry.ts";
import { exactText, isSameData } from "../../src/bot/recording/exact-text.ts";
import { recordingFiles } from "../../src/bot/recording/files.ts";
import { EXTENSION, RecordingError } from "../../src/bot/recording/format.ts";
import { type Recorded, recordedIn } from "../../src/bot/recording/reader.ts";
import { Recorder } from "../../src/bot/recording/recorder.ts";
import { ValueReader, ValueWriter } from "../../src/bot/recording/values.ts";
import type { VenueEvent } from "../../src/domain/event.ts";
import { createVirtualClock, type VirtualClock } from "../../src/kernel/virtual-clock.ts";
import { recorderInto } from "../support/recorder-into.ts";
import { scratchFolder } from "../support/scratch.ts";

const START_MS = 1_790_000_000_000;

const scalar = fc.oneof(
  fc.bigInt(),
  fc.double(),
  fc.integer(),
  fc.string(),
  fc.integer({ min: -9000, max: 9000 }).map((thousandths) => thousandths / 1000),
  fc.constantFrom("#", "##1", "#12", "#~NaN", '"', "\n", "é", "\ud800", "00ff", "0f0", "0F", ""),
  fc.boolean(),
  fc.constant(null),
);
const { value: plain } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constant("price"),
        fc.string().filter((key) => key !== "__proto__"),
      ),
      tie("value"),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
}));

/** As a recording has them, a batch a value. */
function readBack(values: readonly unknown[], ownDepth = 0): readonly unknown[] {
  const [writer, reader] = [new ValueWriter(), new ValueReader()];
  return values.map((value) => {
    writer.value(value, ownDepth, 7.25);
    reader.read(writer.take());
    return reader.value(7.25);
  });
}

test("two values are the same data where they have the same text", () => {
  const changed = fc
    .tuple(plain, plain)
    .chain(([one, other]) => fc.constantFrom([one, one], [one, other], [[one], [one]]));
  const pairs = fc.oneof(fc.tuple(plain, plain), changed);
  fc.assert(
    fc.property(pairs, ([one, other]) => {
      const copy = readBack([one])[0];
      expect(isSameData(one, copy)).toBe(true);
      expect(isSameData(one, other)).toBe(exactText(one) === exactText(other));
      expect(isSameData({ one, other }, { other, one, left: undefined })).toBe(true);
      expect(isSameData({ one }, { one, other: 1 })).toBe(false);
    }),
  );
});

test("every plain value reads back as it was, in the exact text too, however often it comes", () => {
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1, maxLength: 5 }), fc.nat(3), (values, ownDepth) => {
      const twice = [...values, ...values];
      const read = readBack(twice, ownDepth);
      expect(read).toStrictEqual(twice);
      expect(exactText(read)).toBe(exactText(twice));
    }),
  );
});

test("what comes again is read as the same object, and costs a few bytes", () => {
  const writer = new ValueWriter();
  const order = () => ({ price: 2n ** 70n, of: ["a text of some length", { deep: [1, 2, 3] }] });
  const lengths = [order(), order()].map((value) => {
    writer.value(value, 0);
    return writer.take().length;
  });
  expect(lengths[0]).toBeGreaterThan(50);
  expect(lengths[1]).toBeLessThan(4);
  const [first, second] = readBack([order(), order()]);
  expect(second).toBe(first);
});

test("what is undefined or a function is left out, as in JSON", () => {
  const left = { of: undefined, call: () => 1, kept: [undefined, () => 1, 1] };
  expect(readBack([left, { left }], 1)).toStrictEqual([{ kept: [null, null, 1] }, { left: { kept: [null, null, 1] } }]);
});

test("values beyond what is remembered read back too", () => {
  const values = Array.from({ length: 3000 }, (_, at) => ({ at: `${at % 1500}`.repeat(300), of: { at: at % 1500 } }));
  expect(readBack(values)).toStrictEqual(values);
});

test("a frozen object reads back in every value, also after what was remembered is forgotten, and with what hangs on it changed", () => {
  const level = Object.freeze({ price: 21_700_000_000n, size: 1_000_000n });
  const inner = { size: 1n };
  const nested = Object.freeze({ inner });
  const [writer, reader] = [new ValueWriter(), new ValueReader()];
  for (let nth = 0; nth < 3000; nth += 1) {
    inner.size = BigInt(nth);
    const value = { list: [level, level, nested], text: `${nth} ${"x".repeat(100)}` };
    writer.value(value, 1);
    reader.read(writer.take());
    expect(reader.value()).toEqual(structuredClone(value));
  }
});

test("bytes that are no values are refused, wherever they end", () => {
  const writer = new ValueWriter();
  writer.value({ price: 12n, of: ["text", 0.5, { deep: null }] }, 1);
  const bytes = writer.take();
  for (let length = 0; length < bytes.length; length += 1) {
    const reader = new ValueReader();
    reader.read(bytes.subarray(0, length));
    expect(() => reader.value()).toThrow(RangeError);
  }
});

const start: Start = {
  instant: { monotonicMs: 0.5, wallMs: START_MS },
  readings: {
    journal: "healthy",
    ...{ isReserveUsed: false, takesMore: true, isElsewhere: false, nonceRefusals: [], keysElsewhere: [] },
  },
  version: "0.1.0",
  chainId: "chain-2",
  readLagMaxMs: 3000,
  landingBoundMs: 90_000,
  watchdogSilenceMs: 10_000,
  seed: 2n ** 63n + 1n,
  accounts: [],
  publicKeys: [],
  earlierHolders: [],
  ledgerLost: null,
  halt: null,
  kept: [["ledger.fills[]", [1n, 2n]]],
};

const entryOf = (monotonicMs: number, told: unknown): Entry => ({
  kind: "event",
  event: told as VenueEvent,
  instant: { monotonicMs, wallMs: START_MS },
});

const entries = (told: readonly unknown[]) => told.map((of, at) => entryOf(at, of));

function recorderIn(folder: string, clock: VirtualClock, fileBytesMax = 2 ** 20): Recorder {
  const recorder = recorderInto(folder, clock, fileBytesMax);
  recorder.start(start);
  return recorder;
}

/** Records, a batch each second of virtual time; resolves with the file. */
async function recorded(told: readonly unknown[], { isStopped = true } = {}): Promise<string> {
  const folder = scratchFolder("recording");
  const clock = createVirtualClock({ startMs: START_MS });
  const recorder = recorderIn(folder, clock);
  for (const entry of entries(told)) {
    recorder.push(entry, []);
    clock.advanceSync(400);
  }
  clock.advanceSync(2000);
  if (isStopped) await recorder.close();
  return join(folder, readdirSync(folder)[0] ?? "");
}

const read = async (path: string): Promise<Recorded[]> => Array.from(recordedIn(path));

/** Nothing where not one event can be read, which is an error of its own. */
async function readable(path: string): Promise<Recorded[]> {
  try {
    return await read(path);
  } catch (error) {
    if (error instanceof RecordingError && error.code === "empty") return [];
    throw error;
  }
}

test("entries read back in their order, and the end of a run that was stopped", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 20 }), async (told) => {
      const file = await recorded(told);
      expect(await read(file)).toEqual([
        { kind: "life", start, isWithin: false, file },
        ...entries(told).map((entry) => ({ kind: "entry", entry })),
        { kind: "end", isCut: false },
      ]);
    }),
    { numRuns: 20 },
  );
});

test("cut at any byte it is read up to there, and says so", async () => {
  const told = ["one", 2n, [3], { four: 4n ** 30n }, "five", "six", "seven"];
  const file = await recorded(told);
  const bytes = readFileSync(file);
  let longest = -1;
  for (let length = 0; length < bytes.length; length += 1) {
    writeFileSync(file, bytes.subarray(0, length));
    const found = await readable(file);
    const read_ = found.flatMap((line) => (line.kind === "entry" ? [line.entry] : []));
    expect(read_).toEqual(entries(told).slice(0, read_.length));
    if (found.length > 0) expect(found.at(-1)).toEqual({ kind: "end", isCut: true });
    expect(read_.length).toBeGreaterThanOrEqual(longest);
    longest = read_.length;
  }
  expect(longest).toBeGreaterThan(4);
});

test("a byte that is another ends what is read, never changes it", async () => {
  const told = ["one", 2n, [3], { four: 4n }, "five", "six"];
  const file = await recorded(told);
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf("\n") + 1; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    writeFileSync(file, changed);
    const found = (await readable(file)).flatMap((line) => (line.kind === "entry" ? [line.entry] : []));
    expect(found).toEqual(entries(told).slice(0, found.length));
  }
});

test("what was recorded up to a kill is there within a second and a half", async () => {
  const found = await read(await recorded(["one", "two", "three"], { isStopped: false }));
  expect(found.map(({ kind }) => kind)).toEqual(["life", "entry", "entry", "entry", "end"]);
  expect(found.at(-1)).toEqual({ kind: "end", isCut: true });
});

/** Files of bounded size. */
async function recordedInFiles() {
  const folder = scratchFolder("recording");
  const clock = createVirtualClock({ startMs: START_MS });
  const recorder = recorderIn(folder, clock, 1000);
  const told = Array.from({ length: 30 }, (_, at) => BigInt(at * 7919) ** 99n);
  for (const entry of entries(told)) {
    recorder.push(entry, []);
    clock.advanceSync(1000);
  }
  await recorder.close();
  return { folder, names: readdirSync(folder).sort(), told };
}

test("files of bounded size follow each other, and the later ones alone are refused", async () => {
  const { folder, names, told } = await recordedInFiles();
  expect(names.length).toBeGreaterThan(1);
  const found = await read(folder);
  expect(found.filter(({ kind }) => kind === "entry")).toHaveLength(told.length);
  expect(found.map(({ kind }) => kind).filter((kind) => kind !== "entry")).toEqual(["life", "end"]);
  await expect(read(join(folder, names[1] ?? ""))).rejects.toThrow("name the folder that holds all parts");
});

test("what is no recording, and one of another version, is refused by name", async () => {
  const folder = scratchFolder("recording");
  const file = join(folder, "it.qrec");
  await expect(read(file)).rejects.toThrow("it.qrec cannot be read");
  await expect(read(folder)).rejects.toThrow("holds no recording");
  writeFileSync(file, "accounts: []\n");
  await expect(read(file)).rejects.toThrow("it.qrec is no recording of Quoin");
  writeFileSync(file, "quoin recording, format 1, written by 0.1.0\nmore");
  await expect(read(file)).rejects.toThrow(
    "is of format 1, written by Quoin 0.1.0, and this version reads format 2: read it with that one",
  );
  writeFileSync(file, "quoin recording, format 7, written by 3.2.1\nmore");
  await expect(read(file)).rejects.toThrow("is of format 7, written by Quoin 3.2.1, and this version reads format 2");
});

test("where not one event can be read, or the path is a pipe or a device, that is an error", async () => {
  const file = await recorded(["one", 2n, [3]]);
  const whole = readFileSync(file);
  const head = whole.indexOf("\n") + 1;
  for (const bytes of [
    whole.subarray(0, 0),
    whole.subarray(0, 7),
    whole.subarray(0, head),
    whole.subarray(0, head + 20),
  ]) {
    writeFileSync(file, bytes);
    await expect(read(file)).rejects.toMatchObject({ code: "empty", message: expect.stringContaining(file) });
  }
  const pipe = join(scratchFolder("recording"), "pipe.qrec");
  execFileSync("mkfifo", [pipe]);
  for (const path of [pipe, "/dev/zero"])
    await expect(read(path)).rejects.toMatchObject({
      code: "unreadable",
      message: `${path} is no regular file: copy the recording into one and name that`,
    });
});

test("damage in a file of several ends the run there: no later file continues it", async () => {
  const { folder, names, told } = await recordedInFiles();
  const [first = ""] = names;
  truncateSync(join(folder, first), readFileSync(join(folder, first)).length - 1);
  const found = await read(folder);
  const count = found.filter(({ kind }) => kind === "entry").length;
  expect(count).toBeLessThan(told.length / 2);
  expect(found.at(-1)).toEqual({ kind: "end", isCut: true });
  const other = await recorded(["another run"]);
  renameSync(other, join(folder, `9999-${EXTENSION}`));
  const ends = (await read(folder)).slice(-3);
  expect(ends.map(({ kind }) => kind)).toEqual(["life", "entry", "end"]);
});

test.each([
  ["deleted", (file: string) => rmSync(file)],
  ["truncated", (file: string) => truncateSync(file, 10)],
  ["replaced", (file: string) => writeFileSync(file, "another")],
  ["its folder deleted", (file: string) => rmSync(join(file, ".."), { recursive: true })],
])("a file that is lost (%s) is told once, and a new one holds what follows", async (_, lose) => {
  const folder = scratchFolder("recording");
  const clock = createVirtualClock({ startMs: START_MS });
  const files = recordingFiles(folder, 2 ** 30);
  const said: (readonly [string, string | null])[] = [];
  const recorder = new Recorder({
    clock,
    files,
    version: "0.1.0",
    fileBytesMax: 2 ** 20,
    onFailed: (why, next) => said.push([why, next]),
    onWritten: () => {},
  });
  recorder.start(start);
  const say = async (what: string) => {
    recorder.push(entryOf(0.5, what), []);
    clock.advanceSync(2000);
    await files.settled();
  };
  await say("before");
  const [file = ""] = readdirSync(folder);
  lose(join(folder, file));
  await say("lost");
  const next = file.replace("00001", "00002");
  expect(said).toEqual([[expect.stringContaining(join(folder, file)), next]]);
  await say("after");
  await recorder.close();
  expect(said).toHaveLength(1);
  expect(await read(join(folder, next))).toEqual([
    { kind: "life", start, isWithin: true, file: join(folder, next) },
    { kind: "entry", entry: entryOf(0.5, "after") },
    { kind: "end", isCut: false },
  ]);
});

test("where the disk fails, or does not follow, the recording ends with one line, and nothing else", async () => {
  for (const disk of ["fails", "stands still"]) {
    const clock = createVirtualClock({ startMs: START_MS });
    const said: string[] = [];
    const recorder = new Recorder({
      clock,
      files: {
        append: (_name, _bytes, _isNew, done) => {
          if (disk === "fails") done(new Error("no room is left"));
        },
        settled: () => Promise.resolve(),
      },
      version: "0.1.0",
      fileBytesMax: 2 ** 20,
      onFailed: (why) => said.push(why),
      onWritten: () => {},
    });
    recorder.start(start);
    for (let at = 0; at < 200; at += 1) {
      recorder.push(entryOf(at, `${at % 10}`.repeat(2 ** 20 + at)), []);
      clock.advanceSync(100);
    }
    await recorder.close();
    expect(said).toEqual([disk === "fails" ? "no room is left" : "the disk does not follow"]);
    expect(clock.nextDueMs()).toBeUndefined();
  }
});
