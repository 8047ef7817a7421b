// Files that nobody else on the machine may read: agent keys, 64 hex characters each, and the tokens and secrets of HTTP. A message names
// the path and the mode of a wrong file, never anything read from it. Secret files of systemd and Docker are files like any other.

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
import { CodedError, messageOf } from "../../kernel/errors.ts";
import { bytesFromHex, hexOf } from "../../kernel/hex.ts";
import { withoutKeys } from "../../kernel/secret.ts";
import { commandText, shellWord } from "../../kernel/typed-command.ts";

export type KeyFileErrorCode =
  | "key_file_missing"
  | "key_file_unreadable"
  | "key_file_symlink"
  | "key_file_not_regular"
  | "key_file_mode"
  | "key_file_owner"
  | "key_file_malformed"
  | "key_file_exists"
  | "key_file_unwritable";

/** Its message repeats no key, should somebody have given one as the path. */
export class KeyFileError extends CodedError<KeyFileErrorCode> {
  constructor(code: KeyFileErrorCode, message: string, options: ConstructorParameters<typeof CodedError>[2] = {}) {
    super(code, withoutKeys(message), options);
  }
}

const SEED_BYTES = 32;
const HEX_LENGTH = 2 * SEED_BYTES;
/** The hex, a line end of one or two bytes, and one byte more to notice any excess. */
const READ_BYTES = HEX_LENGTH + 3;
const SECRET_LENGTH_MAX = 1024;
const OTHERS = 0o077;
const GROUP_READS = 0o040;
const ROOT_UID = 0;
const ROOT_GID = 0;

/**
 * The 32-byte seed in the file. Refused: a symbolic link, anything but a regular file, a file that group or others may touch, a
 * file of another user (`ownerUid` and root may own it, and root may read anybody's; null: the platform knows no owners), any other content than 64 hex
 * characters with at most one line end. A credential of systemd may show as readable by root's own group: that bit is the mask of the
 * access list that lets its one service in. Throws KeyFileError.
 */
export function readKeyFile(path: string, ownerUid: number | null = processUid()): Uint8Array {
  const text = readPrivateFile(path, READ_BYTES, ownerUid);
  const seed = bytesFromHex(text.toLowerCase(), SEED_BYTES);
  if (seed === undefined) {
    throw new KeyFileError("key_file_malformed", `${path} must hold ${HEX_LENGTH} hex characters and nothing else`);
  }
  return seed;
}

/** Writes a new key file of mode 0600 and syncs it to disk. An existing file is never touched. Throws KeyFileError. */
export const writeKeyFile = (path: string, seed: Uint8Array): void => writeSecretFile(path, hexOf(seed));

/** The one line in the file, from 8 to 1024 visible characters of ASCII. The same files are refused. Throws KeyFileError. */
export function readSecretFile(path: string, ownerUid: number | null = processUid()): string {
  const text = readPrivateFile(path, SECRET_LENGTH_MAX + 3, ownerUid);
  if (!/^[\x21-\x7e]{8,1024}$/.test(text)) {
    throw new KeyFileError("key_file_malformed", `${path} must hold one line of 8 to 1024 visible ASCII characters`);
  }
  return text;
}

/** Makes a folder of mode 0700 where it is missing. Throws KeyFileError where it cannot be made, or others can reach it. */
export function makePrivateFolder(path: string, ownerUid: number | null = processUid()): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if (systemCode(cause) !== "EEXIST")
      throw new KeyFileError("key_file_unwritable", `${path} cannot be made: ${messageOf(cause)}`, { cause });
  }
  hasPrivateFolder(path, ownerUid);
}

/** Returns whether the folder exists. Throws KeyFileError where it is a link or no folder, belongs to another user, or others can reach it. */
export function hasPrivateFolder(path: string, ownerUid: number | null = processUid()): boolean {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) return false;
  if (!state.isDirectory()) throw new KeyFileError("key_file_not_regular", `${path} is not a folder`);
  if (ownerUid === null) return true;
  if (state.uid !== ownerUid)
    throw new KeyFileError(
      "key_file_owner",
      `${path} belongs to user ${state.uid}; nothing in it is believed; remove it`,
    );
  if ((state.mode & OTHERS) !== 0)
    throw new KeyFileError(
      "key_file_mode",
      `${path} has mode ${modeText(state.mode)}: others can reach it, and nothing in it is believed; use 0700`,
    );
  return true;
}

/** Writes a new file of mode 0600 with this line, whole or not at all, and syncs it to disk. An existing file is never touched. Throws KeyFileError. */
export function writeSecretFile(path: string, line: string): void {
  const file = openNew(path);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, `${line}\n`);
    fsyncSync(file);
  } catch (cause) {
    rmSync(path, { force: true });
    throw new KeyFileError("key_file_unwritable", `${path} cannot be written: ${messageOf(cause)}`, { cause });
  } finally {
    closeSync(file);
  }
}

/**
 * The first `bytesMax` bytes of a file as text, without the line's end. Refuses the same files as `readKeyFile`, whatever they hold. Throws
 * KeyFileError.
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
    if (code === "ENOENT")
      throw new KeyFileError(
        "key_file_missing",
        `${path} does not exist; make one with ${commandText(`keygen --out ${shellWord(path)}`)}`,
        { cause },
      );
    if (code === "ELOOP" || code === "EMLINK") {
      throw new KeyFileError("key_file_symlink", `${path} is a symbolic link; name the file itself`, { cause });
    }
    throw new KeyFileError("key_file_unreadable", `${path} cannot be read: ${messageOf(cause)}`, { cause });
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
      throw new KeyFileError(
        "key_file_exists",
        `${path} exists already; a key is never overwritten: name another file`,
        { cause },
      );
    }
    throw new KeyFileError("key_file_unwritable", `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

type FileState = {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly isFile: () => boolean;
};

function checkFile(path: string, state: FileState, ownerUid: number | null): void {
  if (!state.isFile()) throw new KeyFileError("key_file_not_regular", `${path} is not a regular file`);
  if (ownerUid === null) return;
  const mode = modeText(state.mode);
  const isCredential = state.uid === ROOT_UID && state.gid === ROOT_GID && ownerUid !== ROOT_UID;
  if ((state.mode & OTHERS & ~(isCredential ? GROUP_READS : 0)) !== 0) {
    throw new KeyFileError("key_file_mode", `${path} has mode ${mode}: others can read it; use 0600 or 0400`, {
      facts: { mode },
    });
  }
  if (state.uid !== ownerUid && state.uid !== ROOT_UID && ownerUid !== ROOT_UID) {
    throw new KeyFileError(
      "key_file_owner",
      `${path} belongs to user ${state.uid}, not to the user of this process; chown it`,
      {
        facts: { ownerUid: state.uid },
      },
    );
  }
}

const modeText = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, "0");

/** The user of this process as the kernel shows it; null where it does not. */
function processUid(): number | null {
  return statSync("/proc/self", { throwIfNoEntry: false })?.uid ?? null;
}

/** 0 where the platform does not have the flag. */
const flag = (value: number | undefined): number => value ?? 0;

const systemCode = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
