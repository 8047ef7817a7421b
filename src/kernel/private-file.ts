// Files and folders that no other user of the machine may read: keys, tokens, passwords. An error names the path and the mode of a refused
// file, never what it holds. Secret files of systemd and Docker pass the same checks.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { CodedError, messageOf } from "./errors.ts";
import { withoutKeys } from "./secret.ts";

export type PrivateFileErrorCode =
  | "private_file_missing"
  | "private_file_unreadable"
  | "private_file_symlink"
  | "private_file_not_regular"
  | "private_file_mode"
  | "private_file_owner"
  | "private_file_malformed"
  | "private_file_exists"
  | "private_file_unwritable";

/** Its message leaves out keys, in case one was given as the path. */
export class PrivateFileError extends CodedError<PrivateFileErrorCode> {
  constructor(code: PrivateFileErrorCode, message: string, options: ConstructorParameters<typeof CodedError>[2] = {}) {
    super(code, withoutKeys(message), options);
  }
}

const SECRET_LENGTH_MAX = 1024;
/** A token or secret of HTTP: 8 to 1024 visible ASCII characters. */
export const SECRET = /^[\x21-\x7e]{8,1024}$/;
/** A line end of one or two bytes, and one byte more so that a longer text is noticed. */
export const LINE_END_BYTES = 3;
const OTHERS = 0o077;
const GROUP_READS = 0o040;
const ROOT_UID = 0;
const ROOT_GID = 0;

/**
 * Returns the one line of the file: 8 to 1024 visible ASCII characters. Refuses what `readPrivateFile` refuses. Throws PrivateFileError.
 */
export function readSecretFile(path: string, ownerUid: number | null = processUid()): string {
  const text = readPrivateFile(path, SECRET_LENGTH_MAX + LINE_END_BYTES, ownerUid);
  if (!SECRET.test(text)) {
    throw new PrivateFileError(
      "private_file_malformed",
      `${path} must hold one line of 8 to 1024 visible ASCII characters`,
    );
  }
  return text;
}

/** Makes the folder with mode 0700 if it is missing. Throws PrivateFileError when it cannot be made or others can reach it. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if (systemCode(cause) !== "EEXIST")
      throw new PrivateFileError("private_file_unwritable", `${path} cannot be made: ${messageOf(cause)}`, { cause });
  }
  hasPrivateFolder(path);
}

/** Returns whether the folder exists. Throws PrivateFileError when it is a link, no folder, another user's, or reachable by others. */
export function hasPrivateFolder(path: string, ownerUid: number | null = processUid()): boolean {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) return false;
  if (!state.isDirectory()) throw new PrivateFileError("private_file_not_regular", `${path} is not a folder`);
  if (ownerUid === null) return true;
  if (state.uid !== ownerUid)
    throw new PrivateFileError(
      "private_file_owner",
      `${path} belongs to user ${state.uid}; nothing in it is trusted; remove it`,
    );
  if ((state.mode & OTHERS) !== 0)
    throw new PrivateFileError(
      "private_file_mode",
      `${path} has mode ${modeText(state.mode)}: others can reach it, and nothing in it is trusted; use 0700`,
    );
  return true;
}

/**
 * Writes the line to a new file of mode 0600, whole or not at all, and syncs it. Never touches an existing file. Throws PrivateFileError.
 */
export function writePrivateFile(path: string, line: string): void {
  const file = openNew(path);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, `${line}\n`);
    fsyncSync(file);
  } catch (cause) {
    rmSync(path, { force: true });
    throw new PrivateFileError("private_file_unwritable", `${path} cannot be written: ${messageOf(cause)}`, { cause });
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the first `bytesMax` bytes of the file as text, without one line end. Refuses symbolic links, anything but a regular file, a file
 * that group or others may touch, and a file of another user. `ownerUid` and root may own it, and root may read every file; null: the
 * platform has no owners. A credential of systemd may show as readable by root's own group: that bit is the mask of the access list that
 * admits its service. Throws PrivateFileError.
 */
export function readPrivateFile(path: string, bytesMax: number, ownerUid: number | null = processUid()): string {
  const file = openForReading(path);
  try {
    checkFile(path, fstatSync(file), ownerUid);
    const bytes = Buffer.alloc(bytesMax);
    const length = readSync(file, bytes, 0, bytesMax, 0);
    const text = bytes.toString("utf8", 0, length).replace(/\r?\n$/, "");
    bytes.fill(0);
    return text;
  } finally {
    closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | flag(constants.O_NOFOLLOW) | flag(constants.O_NONBLOCK));
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "ENOENT") throw new PrivateFileError("private_file_missing", `${path} does not exist`, { cause });
    if (code === "ELOOP" || code === "EMLINK") {
      throw new PrivateFileError("private_file_symlink", `${path} is a symbolic link; name the file itself`, { cause });
    }
    throw new PrivateFileError("private_file_unreadable", `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function openNew(path: string): number {
  try {
    return openSync(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | flag(constants.O_NOFOLLOW),
      0o600,
    );
  } catch (cause) {
    if (systemCode(cause) === "EEXIST") {
      throw new PrivateFileError(
        "private_file_exists",
        `${path} exists already and is not overwritten; name another file`,
        { cause },
      );
    }
    throw new PrivateFileError("private_file_unwritable", `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

type FileState = {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly isFile: () => boolean;
};

function checkFile(path: string, state: FileState, ownerUid: number | null): void {
  if (!state.isFile()) throw new PrivateFileError("private_file_not_regular", `${path} is not a regular file`);
  if (ownerUid === null) return;
  const mode = modeText(state.mode);
  const isCredential = state.uid === ROOT_UID && state.gid === ROOT_GID && ownerUid !== ROOT_UID;
  if ((state.mode & OTHERS & ~(isCredential ? GROUP_READS : 0)) !== 0) {
    throw new PrivateFileError("private_file_mode", `${path} has mode ${mode}: others can read it; use 0600 or 0400`, {
      facts: { mode },
    });
  }
  if (state.uid !== ownerUid && state.uid !== ROOT_UID && ownerUid !== ROOT_UID) {
    throw new PrivateFileError(
      "private_file_owner",
      `${path} belongs to user ${state.uid}, not to the user of this process; chown it`,
      {
        facts: { ownerUid: state.uid },
      },
    );
  }
}

const modeText = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, "0");

/** The user that runs this process; null where the system does not show it. */
function processUid(): number | null {
  return statSync("/proc/self", { throwIfNoEntry: false })?.uid ?? null;
}

/** 0 on a platform without the flag. */
const flag = (value: number | undefined): number => value ?? 0;

const systemCode = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
