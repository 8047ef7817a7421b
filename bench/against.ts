// Compares this state with another commit in alternating pairs, so that a machine that is busy for a while slows both. Each state runs its
// own benches in its own process. Computing benches are timed in processor time, which other programs hardly affect.

import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { median } from "./measure.ts";

const run = promisify(execFile);
const HERE = resolve(import.meta.dirname, "..");
/** Largest output of a bench, bytes. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Benches that wait for a socket, a disk or another process: processor time would miss what they measure. */
const WAITING: ReadonlySet<string> = new Set([
  "devnet-http",
  "event-to-send",
  "write-behind",
  "journal",
  "recovery",
  "start",
  "backtest-queue",
]);

/** Makes performance.now processor time in the process of a computing bench. */
const PROCESSOR_CLOCK = `data:text/javascript,${encodeURIComponent(`
const { cpuUsage } = process;
performance.now = () => { const { user, system } = cpuUsage(); return (user + system) / 1000; };
`)}`;

export type Comparison = {
  readonly name: string;
  readonly unit: string;
  /** Medians. Null: that state has no such bench. */
  readonly value: number | null;
  readonly againstValue: number | null;
  /** How many times better this state is; below 1: worse. */
  readonly ratio: number | null;
};

export type OtherState = { readonly folder: string; readonly remove: () => Promise<void> };

/** The commit with that name; null: none. */
export async function commitOf(ref: string): Promise<string | null> {
  const found = await run("git", ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`], {
    cwd: HERE,
  }).catch(() => null);
  return found?.stdout.trim() ?? null;
}

/** Checks out the commit in a temporary folder, with its packages. */
export async function checkOut(commit: string): Promise<OtherState> {
  const parent = await mkdtemp(join(tmpdir(), "quoin-bench-"));
  const folder = join(parent, "state");
  const remove = async (): Promise<void> => {
    await rm(parent, { recursive: true, force: true });
    await run("git", ["worktree", "prune"], { cwd: HERE });
  };
  try {
    await run("git", ["worktree", "add", "--quiet", "--detach", folder, commit], { cwd: HERE });
    const lockIn = (root: string): string => readFileSync(join(root, "package-lock.json"), "utf8");
    if (lockIn(folder) === lockIn(HERE)) symlinkSync(join(HERE, "node_modules"), join(folder, "node_modules"));
    else await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Measures a bench in both states, in `pairs` pairs with alternating order. Throws if it fails in one of them. */
export async function compare(
  name: string,
  other: Pick<OtherState, "folder">,
  { pairs, quick }: { readonly pairs: number; readonly quick: boolean },
): Promise<Comparison> {
  const ours: Figure[] = [];
  const theirs: Figure[] = [];
  const states = [
    { folder: HERE, figures: ours },
    { folder: other.folder, figures: theirs },
  ];
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const { folder, figures } of pair % 2 === 0 ? states : states.toReversed()) {
      const figure = await figureOf(name, folder, quick);
      if (figure !== null) figures.push(figure);
    }
  }
  const unit = ours[0]?.unit ?? theirs[0]?.unit ?? "";
  const medianOf = (figures: readonly Figure[]): number | null =>
    figures.length === 0 ? null : median(figures.map(({ value }) => value));
  const [value, againstValue] = [medianOf(ours), medianOf(theirs)];
  const ratio = value === null || againstValue === null ? null : ratioOf(value, againstValue, unit);
  return { name, unit, value, againstValue, ratio };
}

/** Rates are better when higher; times, shares and sizes when lower. */
export const ratioOf = (value: number, againstValue: number, unit: string): number =>
  /\/s$|^x /.test(unit) ? value / againstValue : againstValue / value;

type Figure = { readonly value: number; readonly unit: string };

/** Null: the state has no bench of that name. */
async function figureOf(name: string, folder: string, quick: boolean): Promise<Figure | null> {
  const clock = WAITING.has(name) ? [] : ["--import", PROCESSOR_CLOCK];
  const words = ["bench/main.ts", "--only", name, "--json", ...(quick ? ["--quick"] : [])];
  const { stdout } = await run(process.execPath, [...clock, ...words], {
    cwd: folder,
    maxBuffer: OUTPUT_BYTES_MAX,
  }).catch((error: { readonly code?: unknown; readonly stderr?: string }) => {
    if (error.code === 2) return { stdout: "" };
    throw new Error(
      `bench ${name} failed in ${folder === HERE ? "this state" : "the other one"}: ${error.stderr ?? ""}`,
    );
  });
  for (const line of stdout.split("\n")) {
    if (!line.startsWith("{")) continue;
    const found = JSON.parse(line) as Figure & { readonly name: string };
    if (found.name === name) return found;
  }
  return null;
}
