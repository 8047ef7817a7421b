// Processes of this machine: who started whom, and which still run. Read from /proc on Linux, by `ps` on other systems.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

export type ProcessFacts = {
  readonly parent: number;
  /** Tells it from a later process with the same id. */
  readonly startedAt: string;
  /** Id of its session's leader. Null: the system does not show it. */
  readonly session: number | null;
  /** The program and its arguments, or the title that the process gave itself. */
  readonly words: readonly string[];
};

export type Processes = {
  /** Id of this process. */
  readonly self: number;
  /** Id of the process that started this one or, when that has ended, of the process that adopted it. */
  readonly parent: () => number;
  /** Processes by id. Absent: no process has that id, or this user may not see it. Rejects when the system shows nothing. */
  readonly look: (ids: readonly number[]) => Promise<ReadonlyMap<number, ProcessFacts>>;
  /** Whether npm's variables are in the environment. All processes below npm inherit them, also after npm has ended. */
  readonly hasNpmVariables: boolean;
};

export const systemProcesses: Processes = {
  self: process.pid,
  parent: () => process.ppid,
  look: process.platform === "linux" ? lookInProc : lookByPs,
  hasNpmVariables: process.env.npm_lifecycle_event !== undefined,
};

/** States of a process that has ended but still has an entry, since its parent has not asked for its end. */
const ENDED = /^[ZXx]/;

export async function lookInProc(ids: readonly number[]): Promise<ReadonlyMap<number, ProcessFacts>> {
  const found = new Map<number, ProcessFacts>();
  for (const id of ids) {
    const facts = factsInProc(id);
    if (facts !== null) found.set(id, facts);
  }
  return found;
}

/** Throws what the file system throws, such as when file descriptors run out. */
function factsInProc(id: number): ProcessFacts | null {
  try {
    // The name in brackets may itself hold brackets and blanks.
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    const [state = "", parent, , session, ...others] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (ENDED.test(state)) return null;
    const commandLine = readFileSync(`/proc/${id}/cmdline`, "latin1").replace(/\0+$/, "");
    return {
      parent: Number(parent),
      startedAt: others[STARTED_AT] ?? "",
      session: Number(session),
      words: commandLine.split(commandLine.includes("\0") ? "\0" : " "),
    };
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return null;
    throw error;
  }
}

/** Start time is field 22 of proc(5); `others` begins after the session, field 6. */
const STARTED_AT = 22 - 7;

const PS_ROW =
  /^\s*(?<id>\d+)\s+(?<parent>\d+)\s+(?<state>\S+)\s+(?<startedAt>\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(?<command>.*)$/;

export async function lookByPs(ids: readonly number[]): Promise<ReadonlyMap<number, ProcessFacts>> {
  const columns = ["pid", "ppid", "stat", "lstart", "command"].flatMap((column) => ["-o", `${column}=`]);
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  const found = new Map<number, ProcessFacts>();
  for (const row of (await psRows([...columns, "-p", ids.join(",")], env)).split("\n")) {
    const { id, parent, state = "", startedAt = "", command = "" } = PS_ROW.exec(row)?.groups ?? {};
    if (id === undefined || ENDED.test(state)) continue;
    const session = state.includes("s") ? Number(id) : null;
    found.set(Number(id), { parent: Number(parent), startedAt, session, words: command.split(" ") });
  }
  return found;
}

/** `ps` exits with 1 when it finds no process. */
async function psRows(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await promisify(execFile)("ps", words, { env })).stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === 1) return "";
    throw error;
  }
}
