// `quoin proposals`, `quoin approve` and `quoin refuse`: what agents propose to a running daemon, and a person's answer.

import type { EmergencyConfig } from "../bot/config/emergency.ts";
import type { ProposalLine } from "../bot/dashboard/status.ts";
import { type Verdict, verdicts } from "../bot/service/operator/proposals.ts";
import { askProposals, type Daemon, findDaemon, postToDaemon, type Refused } from "../daemon/running/ask-daemon.ts";
import { tokenInFile } from "../daemon/running/token-files.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { printable } from "../kernel/printable.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { commandText } from "../kernel/typed-command.ts";
import { readForEmergency } from "./read-config.ts";

export type ProposalsOptions = {
  readonly config: string;
  readonly tokenFile?: string;
  readonly json: boolean;
};

/** The daemon reads its file and tries the strategies again. */
const ANSWER_MS_MAX = 30_000;

/** Lists the open proposals, or all of this run. Exit 1 when no daemon answers. */
export async function proposals(options: ProposalsOptions & { readonly all: boolean }, host: Host): Promise<ExitCode> {
  return await withDaemon(options, host, async (daemon, config) => {
    const answer = await askProposals(daemon);
    if (answer.kind !== "done") return failed(answer, daemon, host);
    const { proposals: all } = answer.body as { readonly proposals: readonly ProposalLine[] };
    const shown = options.all ? all : all.filter(({ state }) => state === "open");
    for (const line of shown) host.stdout(`${options.json ? JSON.stringify(line) : textOf(line, config)}\n`);
    if (shown.length === 0 && !options.json) host.stdout(`no ${options.all ? "" : "open "}proposals\n`);
    return EXIT_DONE;
  });
}

/** Exit 1 when the proposal is not open, the configuration has changed, or the daemon refuses. */
export async function decideOn(id: string, verdict: Verdict, options: ProposalsOptions, host: Host): Promise<ExitCode> {
  return await withDaemon(options, host, async (daemon, config) => {
    const path = `/proposals/${encodeURIComponent(id)}/${verdict}`;
    const answer = await postToDaemon(daemon, path, {}, ANSWER_MS_MAX);
    if (answer.kind !== "done") return failed(answer, daemon, host);
    const line = answer.body as ProposalLine;
    host.stdout(`${options.json ? JSON.stringify(line) : textOf(line, config)}\n`);
    return line.state === verdicts[verdict] ? EXIT_DONE : EXIT_FAILED;
  });
}

async function withDaemon(
  options: ProposalsOptions,
  host: Host,
  ask: (daemon: Daemon, config: EmergencyConfig) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const found = await findDaemon(config, host);
  try {
    return await ask(
      { ...found, token: options.tokenFile === undefined ? found.token : tokenInFile(options.tokenFile) },
      config,
    );
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return endWith(EXIT_USAGE, `--token-file: ${error.message}`, host);
  }
}

const failed = (answer: Refused | { readonly kind: "nobody" }, { url }: Daemon, host: Host): ExitCode =>
  endWith(EXIT_FAILED, answer.kind === "nobody" ? `no daemon answers at ${url}` : answer.why, host);

/** The proposer's words are in quotation marks. */
function textOf({ id, state, by, reason, difference, expiresAt }: ProposalLine, { file }: EmergencyConfig): string {
  const decide = `; ${commandText(`approve ${id}`, file)} or ${commandText(`refuse ${id}`, file)} by ${expiresAt}`;
  const words = `${state} proposal ${id} of ${by}: ${difference.join("; ")}; its reason: ${JSON.stringify(reason)}`;
  return `${printable(words)}${state === "open" ? decide : ""}`;
}
