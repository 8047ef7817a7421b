// `npm run digest`: hashes of whole runs, one per part. `--against REF` also runs another commit and shows the first differing line of each
// part: for a change that must change no behavior. `--only TEXT` runs those whose name contains it. Exit code 1 if a part differs.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, promisify } from "node:util";
import { checkOut, commitOf } from "../against.ts";
import { type Part, parts, runs } from "./runs.ts";

const SHOWN = 300;

const { values } = parseArgs({
  options: { against: { type: "string" }, only: { type: "string", default: "" }, lines: { type: "string" } },
});
const chosen = runs.filter(({ name }) => name.includes(values.only));
process.exitCode = values.against === undefined ? await show(values.lines) : await compare(values.against);

/** `folder`: for files with each part's lines. */
async function show(folder?: string): Promise<number> {
  for (const [at, { name, run }] of chosen.entries()) {
    const hashes = new Map(parts.map((part) => [part, { hash: createHash("sha256"), count: 0 }]));
    const files = new Map(
      folder === undefined ? [] : parts.map((part) => [part, createWriteStream(fileOf(folder, at, part))]),
    );
    await run((part, line) => {
      const of = hashes.get(part);
      if (of === undefined) return;
      of.hash.update(`${line}\n`);
      of.count += 1;
      files.get(part)?.write(`${line}\n`);
    });
    await Promise.all([...files.values()].map((file) => once(file.end(), "finish")));
    for (const [part, { hash, count }] of hashes)
      if (count > 0) console.log(`${name}: ${part} ${hash.digest("hex").slice(0, 16)} of ${count} lines`);
  }
  return 0;
}

function fileOf(folder: string, at: number, part: Part): string {
  return join(folder, `${at}-${part}`);
}

/** Returns the exit code. */
async function compare(ref: string): Promise<number> {
  const commit = await commitOf(ref);
  if (commit === null) {
    console.error(`no commit is named ${ref}: give a branch, a tag or a hash of this checkout`);
    return 2;
  }
  const here = join(import.meta.dirname, "../..");
  const other = await checkOut(commit);
  const folders = [here, other.folder].map((root) => ({ root, lines: mkdtempSync(join(tmpdir(), "quoin-digest-")) }));
  try {
    // The other state executes this state's runs.
    cpSync(import.meta.dirname, join(other.folder, "bench/digest"), { recursive: true });
    for (const { root, lines } of folders)
      await promisify(execFile)(process.execPath, ["bench/digest/main.ts", "--lines", lines, "--only", values.only], {
        cwd: root,
      });
    const [ours = "", theirs = ""] = folders.map(({ lines }) => lines);
    let isEqual = true;
    for (const [at, { name }] of chosen.entries())
      for (const part of parts) {
        const difference = await firstDifference(fileOf(ours, at, part), fileOf(theirs, at, part));
        if (difference === null) continue;
        isEqual = false;
        console.log(
          `${name}: ${part} differs from ${ref} at line ${difference.line}\n  here  ${difference.ours}\n  there ${difference.theirs}`,
        );
      }
    if (isEqual) console.log(`${chosen.length} runs come to the same as ${ref}`);
    return isEqual ? 0 : 1;
  } finally {
    for (const { lines } of folders) rmSync(lines, { recursive: true });
    await other.remove();
  }
}

async function firstDifference(ours: string, theirs: string) {
  const [one, other] = [ours, theirs].map((file) =>
    createInterface({ input: createReadStream(file) })[Symbol.asyncIterator](),
  );
  for (let line = 1; ; line += 1) {
    const [here, there] = await Promise.all([one?.next(), other?.next()]);
    const [text, otherText] = [here, there].map((read) => (read?.done ? null : String(read?.value)));
    if (text === null && otherText === null) return null;
    if (text !== otherText) return { line, ours: shown(text), theirs: shown(otherText) };
  }
}

function shown(text: string | null | undefined): string {
  return text?.slice(0, SHOWN) ?? "ends before";
}
