// The ledger of a daemon whose exchange is embedded and ends with it: in a private folder that is removed at the end. Commands ask the
// running daemon where the file is.

import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BotConfig } from "../../bot/config/config.ts";
import type { Host } from "../../host/host.ts";
import { hexOf } from "../../kernel/hex.ts";
import { holdLock } from "../../kernel/locking.ts";
import { hasPrivateFolder, makePrivateFolder, PrivateFileError } from "../../kernel/private-file.ts";
import { askLedger, findDaemon } from "../running/ask-daemon.ts";

export type StartLedger = {
  readonly file: string;
  /** Removes the folder. Close the ledger first. */
  readonly remove: () => void;
};

const FOLDER_BYTES = 8;
const FOLDER = /^ledger-[0-9a-f]{16}$/;
const FILE = "quoin.sqlite";
/** Held while the daemon runs. */
const LOCK = "daemon.lock";
/** A younger folder may belong to a start that has not taken its lock yet. */
const STARTING_MS_MAX = 60_000;

/** Makes the folder, and removes folders that killed daemons left. Throws PrivateFileError and LockError. */
export function makeStartLedger(host: Host): StartLedger {
  makePrivateFolder(host.privateFolder);
  removeLeftovers(host);
  const folder = join(host.privateFolder, `ledger-${hexOf(host.entropy.bytes(FOLDER_BYTES))}`);
  makePrivateFolder(folder);
  const lock = holdLock(join(folder, LOCK));
  const remove = () => {
    lock.release();
    removeFolder(folder);
  };
  return { file: join(folder, FILE), remove };
}

function removeLeftovers({ privateFolder, clock }: Host): void {
  for (const name of readdirSync(privateFolder).filter((each) => FOLDER.test(each))) {
    const folder = join(privateFolder, name);
    try {
      if (clock.wallMs() - statSync(folder).mtimeMs < STARTING_MS_MAX) continue;
      holdLock(join(folder, LOCK)).release();
    } catch {
      continue; // Its daemon runs, or another start has just removed it.
    }
    removeFolder(folder);
  }
}

/** A folder that cannot be removed is left for the next start. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

/** The file that the running daemon names. Null: no daemon answers, or the file is not in a folder that a start made. */
export async function findStartLedger(config: Pick<BotConfig, "file" | "server">, host: Host): Promise<string | null> {
  const { file } = ((await askLedger(await findDaemon(config, host))) ?? {}) as { readonly file?: unknown };
  // Any program that listens at the port could name any file.
  return typeof file === "string" && isOfStart(file, host) ? file : null;
}

function isOfStart(file: string, { privateFolder }: Host): boolean {
  const folder = dirname(file);
  if (dirname(folder) !== privateFolder || !FOLDER.test(basename(folder)) || basename(file) !== FILE) return false;
  try {
    return hasPrivateFolder(privateFolder) && hasPrivateFolder(folder);
  } catch (error) {
    if (error instanceof PrivateFileError) return false; // Finding the daemon has already reported it.
    throw error;
  }
}
