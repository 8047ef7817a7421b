// The token that the daemon's HTTP asks for: text in a file that only its user can read, made at the daemon's first start. Commands of the
// same configuration find it there.

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

/** The token of this configuration; a fresh one, kept in its file, where there is none yet. Throws PrivateFileError. */
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

/** The token of the daemon that runs, or else of the next one. Undefined where no daemon has started yet. Throws PrivateFileError. */
export function findToken(
  config: Configured,
  host: Host,
  running?: Pick<RunningDaemon, "tokenFile">,
): AdminToken | undefined {
  const file = running?.tokenFile ?? tokenFileOf(config, host);
  const token = tokenIn(file);
  return token === undefined ? undefined : { file, token };
}

/** Where no ledger's file stands: in a folder of this user, under a name that each configuration has for itself. */
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
