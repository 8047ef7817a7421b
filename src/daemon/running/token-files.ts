// Tokens below the administrator's: a file each in the folder `tokens` beside the ledger, `{"token":"…","scopes":["read"]}`. A file with a
// fault is named in the log and grants nothing.

import { basename, dirname, join } from "node:path";
import { fieldsOf } from "../../bot/service/operator/trading-state.ts";
import type { ScopedToken } from "../../bot/telemetry/access.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import { allowedScopes, isScope, type Scope } from "../../bot/telemetry/scopes.ts";
import { reportTiming } from "../../bot/timing.ts";
import type { Host } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";
import {
  LINE_END_BYTES,
  makePrivateFolder,
  PrivateFileError,
  readPrivateFile,
  SECRET,
  writePrivateFile,
} from "../../kernel/private-file.ts";

/** The folder beside the ledger. */
const TOKENS_FOLDER = "tokens";
const TOKEN_BYTES = 32;
/** A token and a few scopes are far smaller. */
const FILE_BYTES_MAX = 4096;
/** Every file is read several times a second while its tokens are used. */
const FILES_MAX = 64;
/** File names are written to the log and the ledger. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/;

class TokenFault extends Error {}

/**
 * Returns a function that lists the valid tokens, never older than `reportTiming.tokensMs`. Reads them once at the call, so that a start
 * names every fault. Each new fault is logged once. `admin`: the administrator's token, which no file may repeat.
 */
export function scopedTokens(
  ledgerFile: string | null,
  admin: string,
  { files, clock }: Pick<Host, "files" | "clock">,
  log: Log,
): () => readonly ScopedToken[] {
  if (ledgerFile === null) return () => [];
  const folder = tokensFolder(ledgerFile);
  let named: ReadonlySet<string> = new Set();
  const read = (): readonly ScopedToken[] => {
    const { tokens, faults } = readTokens(folder, admin, files);
    for (const why of faults)
      if (!named.has(why)) log.warn({ event: "token.refused", why }, `a token file grants nothing: ${why}`);
    named = new Set(faults);
    return tokens;
  };
  let known = read();
  let readMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - readMs >= reportTiming.tokensMs) {
      known = read();
      readMs = clock.monotonicMs();
    }
    return known;
  };
}

const tokensFolder = (ledgerFile: string): string => join(dirname(ledgerFile), TOKENS_FOLDER);

/** Tokens of `quoin mcp`, by name. */
const agentScopes = { mcp: ["read"], "mcp-propose": ["read", "propose"] } as const satisfies Record<
  string,
  readonly Scope[]
>;
export type AgentToken = keyof typeof agentScopes;

export const agentTokenFile = (ledgerFile: string, name: AgentToken): string => join(tokensFolder(ledgerFile), name);

/** Makes those of `quoin mcp` that are missing. A failure is logged: the daemon trades without them. */
export function makeAgentTokens(
  ledgerFile: string | null,
  { files, entropy }: Pick<Host, "files" | "entropy">,
  log: Log,
): void {
  if (ledgerFile === null) return;
  const folder = tokensFolder(ledgerFile);
  try {
    if (!files.isFolder(folder)) makePrivateFolder(folder);
    for (const [name, scopes] of Object.entries(agentScopes)) {
      const file = join(folder, name);
      if (files.exists(file)) continue;
      const token = Buffer.from(entropy.bytes(TOKEN_BYTES)).toString("base64url");
      writePrivateFile(file, JSON.stringify({ token, scopes }));
    }
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    log.warn({ event: "token.unmade", why: error.message }, `quoin mcp has no token of its own: ${error.message}`);
  }
}

/** Returns the token of a file of `tokens/`, which the administrator's is not. Throws PrivateFileError. */
export function scopedTokenIn(file: string): ScopedToken {
  try {
    return tokenOf(file, basename(file));
  } catch (error) {
    if (!(error instanceof TokenFault)) throw error;
    throw new PrivateFileError("private_file_malformed", `${file} is no file of ${TOKENS_FOLDER}/: ${error.message}`);
  }
}

/** Returns the token in a file of `tokens/`, or in one that holds nothing else, such as the administrator's. Throws PrivateFileError. */
export function tokenInFile(file: string): string {
  const text = readPrivateFile(file, FILE_BYTES_MAX + LINE_END_BYTES);
  const token = fieldsOf(text)?.token ?? text;
  if (typeof token === "string" && SECRET.test(token)) return token;
  throw new PrivateFileError(
    "private_file_malformed",
    `${file} holds no token: neither {"token":"…","scopes":[…]} nor one line`,
  );
}

function readTokens(folder: string, admin: string, files: Host["files"]) {
  if (!files.isFolder(folder)) return { tokens: [], faults: [] };
  const faults: string[] = [];
  const read: ScopedToken[] = [];
  for (const name of namesIn(folder, files, faults)) {
    try {
      read.push(readToken(folder, name));
    } catch (error) {
      // A file that was deleted after it was listed is revoked, not at fault.
      if (error instanceof PrivateFileError && error.code === "private_file_missing") continue;
      if (error instanceof PrivateFileError) faults.push(error.message);
      else if (error instanceof TokenFault) faults.push(`${join(folder, name)}: ${error.message}`);
      else throw error;
    }
  }
  // If two files held one token, the caller would be ambiguous.
  const isShared = ({ name, token }: ScopedToken): boolean =>
    token === admin || read.some((other) => other.token === token && other.name !== name);
  for (const { name } of read.filter(isShared))
    faults.push(`${join(folder, name)}: another file has the same token; use a new one`);
  return { tokens: read.filter((token) => !isShared(token)), faults };
}

function namesIn(folder: string, files: Host["files"], faults: string[]): readonly string[] {
  try {
    const names = files.list(folder);
    if (names.length <= FILES_MAX) return names;
    faults.push(`${folder} has ${names.length} files, at most ${FILES_MAX} are allowed, and none of them is read`);
  } catch (error) {
    // Unknown means closed: without a list every token is revoked.
    faults.push(`${folder} cannot be listed: ${messageOf(error)}`);
  }
  return [];
}

/** Throws PrivateFileError and TokenFault. Neither quotes the file, since a token may be in a wrong place. */
function readToken(folder: string, name: string): ScopedToken {
  if (!NAME.test(name)) throw new TokenFault("a name has at most 64 letters, digits, _, - and ., and no . first");
  return tokenOf(join(folder, name), name);
}

/** Throws as `readToken` does. */
function tokenOf(file: string, name: string): ScopedToken {
  const text = readPrivateFile(file, FILE_BYTES_MAX);
  const fields = fieldsOf(text);
  if (fields === undefined) throw new TokenFault('not JSON of the form {"token":"…","scopes":["read"]}');
  const { token, scopes, ...unknown } = fields;
  if (Object.keys(unknown).length > 0) throw new TokenFault("an unknown key; allowed: token, scopes");
  if (typeof token !== "string" || !SECRET.test(token))
    throw new TokenFault("token must be a text of 8 to 1024 visible ASCII characters");
  if (!Array.isArray(scopes)) throw new TokenFault(`scopes must be a list of ${allowedScopes}`);
  if (!scopes.every(isScope)) throw new TokenFault(`an unknown scope; allowed: ${allowedScopes}`);
  return { name, token, scopes: new Set(scopes.filter(isScope)) };
}
