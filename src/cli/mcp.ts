// `quoin mcp`: lets an agent read a running daemon, and with --propose propose changes, by the Model Context Protocol over stdio.

import { fileURLToPath } from "node:url";
import type { EmergencyConfig } from "../bot/config/emergency.ts";
import { findToken } from "../daemon/running/admin-token.ts";
import { type Daemon, findDaemon, getFromDaemon, postToDaemon } from "../daemon/running/ask-daemon.ts";
import { runningDaemon } from "../daemon/running/running-daemon.ts";
import { agentTokenFile, scopedTokenIn } from "../daemon/running/token-files.ts";
import { EXIT_DONE, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { withRunningLedger } from "./ledger.ts";
import { readForEmergency } from "./read-config.ts";

export type McpOptions = { readonly config: string; readonly propose: boolean; readonly tokenFile?: string };

/** A report of years, or the trial of a strategy, takes seconds. */
const ANSWER_MS_MAX = 40_000;
/** Files of docs/ that the package contains for this. */
export const documents = [
  "configuration",
  "glossary",
  "how-pnl-is-valued",
  "risk-controls",
  "runbook",
  "strategies",
  "troubleshooting",
];

/** Serves until stdin ends. Exit 2 where there is no token for agents, or it is the administrator's. */
export async function mcp(options: McpOptions, host: Host): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  let token: string;
  try {
    token = await agentToken(options, config, host);
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    const { message, code } = error;
    if (options.tokenFile !== undefined) return endWith(EXIT_USAGE, `--token-file: ${message}`, host);
    return endWith(
      EXIT_USAGE,
      code === "private_file_missing" ? `${message}; the daemon makes it at its start` : message,
      host,
    );
  }
  const daemon = async (): Promise<Daemon> => ({ ...(await findDaemon(config, host)), token });
  const { serveMcp } = await import("./mcp/server.ts");
  const read = (name: string) => () =>
    host.files.read(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)));
  await serveMcp(
    {
      version: host.version,
      proposes: options.propose,
      documents: new Map(documents.map((name) => [name, read(name)])),
    },
    {
      get: async (path) => getFromDaemon(await daemon(), path, ANSWER_MS_MAX),
      post: async (path, body) => postToDaemon(await daemon(), path, body, ANSWER_MS_MAX),
    },
    host.streams(),
  );
  return EXIT_DONE;
}

/** Rejects with PrivateFileError. */
async function agentToken({ propose, tokenFile }: McpOptions, config: EmergencyConfig, host: Host): Promise<string> {
  const file = tokenFile ?? (await ownTokenFile(propose, config, host));
  const { token } = scopedTokenIn(file);
  if (token === (await adminToken(config, host)))
    throw new PrivateFileError(
      "private_file_malformed",
      `${file} holds the administrator's token, which is for people`,
    );
  return token;
}

async function ownTokenFile(propose: boolean, written: EmergencyConfig, host: Host): Promise<string> {
  const { ledger } = await withRunningLedger(written, host);
  if (ledger.file !== null) return agentTokenFile(ledger.file, propose ? "mcp-propose" : "mcp");
  throw new PrivateFileError(
    "private_file_missing",
    "no daemon answers, and the token of one with an embedded exchange goes with it",
  );
}

/** Undefined: this user may not read it. */
async function adminToken(config: EmergencyConfig, host: Host): Promise<string | undefined> {
  try {
    return findToken(config, host, await runningDaemon(config, host))?.token;
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return undefined;
  }
}
