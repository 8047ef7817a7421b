// The token for the daemon's HTTP: in a file that only its user can read, made at the daemon's first start. Commands with the same
// configuration read it there.

import { join } from "node:path";
import type { BotConfig } from "../../bot/config/config.ts";
import { prepareFolder } from "../../bot/ledger/sqlite/sqlite.ts";
import type { Host } from "../../host/host.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { makePrivateFolder, PrivateFileError, readSecretFile, writePrivateFile } from "../../kernel/private-file.ts";
import type { RunningDaemon } from "./running-daemon.ts";

type Configured = Pick<BotConfig, "file" | "server">;

const TOKEN_BYTES = 32;

export type AdminToken = { readonly file: string; readonly token: string };

/** Returns the token of this configuration and makes it if there is none yet. Throws PrivateFileError. */
export function makeToken(config: Configured, host: Host): AdminToken {
  const file = tokenFileOf(config, host);
  if (config.server.tokenFile === null) makePrivateFolder(host.privateFolder);
  else prepareFolder(file);
  const known = tokenIn(file);
  if (known !== undefined) return { file, token: known };
  const token = Buffer.from(host.entropy.bytes(TOKEN_BYTES)).toString("base64url");
  writePrivateFile(file, token);
  return { file, token };
}

/** The token of the running daemon, or else of this configuration. Undefined before the first start. Throws PrivateFileError. */
export function findToken(
  config: Configured,
  host: Host,
  running?: Pick<RunningDaemon, "tokenFile">,
): AdminToken | undefined {
  const file = running?.tokenFile ?? tokenFileOf(config, host);
  const token = tokenIn(file);
  return token === undefined ? undefined : { file, token };
}

/** By default in the user's private folder, under a name made from the configuration's path. */
export const tokenFileOf = ({ file, server }: Configured, { privateFolder, files }: Host): string =>
  server.tokenFile ?? join(privateFolder, `${sha256Hex(files.resolve(".", file)).slice(0, 12)}.token`);

function tokenIn(file: string): string | undefined {
  try {
    return readSecretFile(file);
  } catch (error) {
    if (error instanceof PrivateFileError && error.code === "private_file_missing") return undefined;
    throw error;
  }
}
