// How commands find a running daemon. A daemon keeps a note with its process, address and token file in its user's private folder. Commands
// look there first: their configuration may be a copy of the daemon's, or the daemon may have chosen a free port.

import { join } from "node:path";
import type { BotConfig } from "../../bot/config/config.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import type { Host } from "../../host/host.ts";
import type { Processes } from "../../host/process-list.ts";
import { messageOf } from "../../kernel/errors.ts";
import { hasPrivateFolder, makePrivateFolder, readPrivateFile, writePrivateFile } from "../../kernel/private-file.ts";

type Configured = { readonly file: string; readonly server: Pick<BotConfig["server"], "host" | "port"> };

export type RunningDaemon = {
  readonly pid: number;
  /** Tells it from a later process with the same id. */
  readonly startedAt: string;
  readonly url: string;
  /** Absolute path of its configuration. */
  readonly config: string;
  /** Absolute path of the file with its administrator's token. */
  readonly tokenFile: string;
};

/** Enough for two paths of the greatest length. */
const NOTE_BYTES_MAX = 16 * 1024;
const NOTE_NAME = /^([1-9]\d{0,9})\.daemon$/;

/** The URL at which this machine reaches a daemon that listens at that address. */
export function urlOf({ host, port }: Configured["server"]): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

type Listening = { readonly url: string; readonly tokenFile: string };

/**
 * Writes this daemon's note and removes notes of daemons that have ended. Resolves with a function that removes the note. When it cannot be
 * written, the log says so and the daemon runs on. Writes none where the system does not show when a process started. Never rejects.
 */
export async function announceDaemon(
  { file, server }: Configured,
  { url, tokenFile }: Listening,
  host: Host,
  log: Log,
): Promise<() => void> {
  const { processes, files } = host;
  if (processes === null) return () => {};
  const { self } = processes;
  const startedAt = await startOf(self, processes);
  if (startedAt === undefined) return () => {};
  const note: RunningDaemon = {
    pid: self,
    startedAt,
    url: urlOf({ host: server.host, port: Number(new URL(url).port) }),
    config: files.resolve("", file),
    tokenFile: files.resolve("", tokenFile),
  };
  const path = join(host.privateFolder, `${self}.daemon`);
  const withdraw = (): void => {
    try {
      files.remove(path);
    } catch {
      // A note that stays is ignored, since its process has ended.
    }
  };
  try {
    makePrivateFolder(host.privateFolder);
    for (const [pid, other] of notesIn(host))
      if (pid === self || (await isPast(pid, other, processes))) files.remove(other);
    writePrivateFile(path, JSON.stringify(note));
  } catch (err) {
    const why = `other commands find this daemon only by its own configuration: ${messageOf(err)}`;
    log.warn({ event: "daemon.unannounced", err }, why);
  }
  return withdraw;
}

/**
 * The daemon that runs on this file, or else the one at the address that this configuration names. Undefined: there is none, or several run
 * on the file and none has that address. Rejects with PrivateFileError when the private folder is not private.
 */
export async function runningDaemon({ file, server }: Configured, host: Host): Promise<RunningDaemon | undefined> {
  const daemons = await runningDaemons(host);
  const ofFile = daemons.filter(({ config }) => config === host.files.resolve("", file));
  return ofFile.length === 1 ? ofFile[0] : daemons.find(({ url }) => url === urlOf(server));
}

/** Running daemons of this user. A note counts only while the process that wrote it runs. */
async function runningDaemons(host: Host): Promise<readonly RunningDaemon[]> {
  const { processes } = host;
  if (processes === null || !hasPrivateFolder(host.privateFolder)) return [];
  const notes = notesIn(host).flatMap(([pid, path]) => readNote(pid, path) ?? []);
  const starts = await Promise.all(notes.map(({ pid }) => startOf(pid, processes)));
  return notes.filter(({ startedAt }, at) => startedAt === starts[at]);
}

/**
 * Whether the note's process has ended. An unreadable note may be half written by a starting daemon: it stays while a process with that id
 * runs.
 */
async function isPast(pid: number, path: string, processes: Processes): Promise<boolean> {
  const startedAt = await startOf(pid, processes);
  const note = readNote(pid, path);
  return startedAt === undefined || (note !== undefined && note.startedAt !== startedAt);
}

/** Process ids and paths. */
function notesIn({ privateFolder, files }: Host): readonly (readonly [number, string])[] {
  return files.list(privateFolder).flatMap((name) => {
    const pid = NOTE_NAME.exec(name)?.[1];
    return pid === undefined ? [] : [[Number(pid), join(privateFolder, name)] as const];
  });
}

/** Undefined: the file is half written, has just been removed, or is from another version. */
function readNote(pid: number, path: string): RunningDaemon | undefined {
  try {
    const note = JSON.parse(readPrivateFile(path, NOTE_BYTES_MAX)) as RunningDaemon;
    const texts = [note.startedAt, note.url, note.config, note.tokenFile];
    return note.pid === pid && texts.every((text) => typeof text === "string") ? note : undefined;
  } catch {
    return undefined;
  }
}

/** When the process started. Undefined: no process has that id, or the system does not show it. */
async function startOf(pid: number, { look }: Processes): Promise<string | undefined> {
  try {
    return (await look([pid])).get(pid)?.startedAt;
  } catch {
    return undefined;
  }
}
