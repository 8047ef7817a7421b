// `quoin preview`: asks the running daemon what another configuration would change now. Sends no order and changes nothing.

import { type MarketPreview, type Preview, previewedText } from "../bot/service/operator/preview.ts";
import { findDaemon, postToDaemon } from "../daemon/running/ask-daemon.ts";
import { tokenInFile } from "../daemon/running/token-files.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { readForStart } from "./read-config.ts";

export type PreviewOptions = { readonly config: string; readonly tokenFile?: string; readonly json: boolean };

/** The daemon reads and tries the strategies again. */
const ANSWER_MS_MAX = 30_000;
const HTTP_UNAUTHORIZED = 401;

/** Exit 1 when no daemon answers or it refuses, 2 when the configuration or the token's file is wrong. */
export async function preview(options: PreviewOptions, host: Host): Promise<ExitCode> {
  const config = await readForStart(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  let given: string | undefined;
  try {
    given = options.tokenFile === undefined ? undefined : tokenInFile(options.tokenFile);
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return endWith(EXIT_USAGE, `--token-file: ${error.message}`, host);
  }
  const found = await findDaemon(config, host);
  const daemon = given === undefined ? found : { ...found, token: given };
  const file = host.files.resolve("", options.config);
  const answer = await postToDaemon(daemon, "/preview", { file }, ANSWER_MS_MAX);
  if (answer.kind === "nobody") return endWith(EXIT_FAILED, `no daemon answers at ${daemon.url}`, host);
  if (answer.kind === "refused") {
    const hint =
      answer.httpStatus === HTTP_UNAUTHORIZED ? "; --token-file FILE names the file with the daemon's token" : "";
    return endWith(EXIT_FAILED, `the daemon at ${daemon.url}: ${answer.why}${hint}`, host);
  }
  const { markets, beside } = answer.body as Preview;
  for (const market of markets) host.stdout(`${options.json ? JSON.stringify(market) : lineOf(market)}\n`);
  // With --json, stdout holds one object per market and nothing else.
  for (const sentence of beside) (options.json ? host.stderr : host.stdout)(`${sentence}\n`);
  return EXIT_DONE;
}

function lineOf(market: MarketPreview): string {
  const { accountId, marketId, keeps, cancels, modifies, places, worstCase } = market;
  const orders = `keeps ${keeps}, moves ${modifies}, cancels ${cancels}, places ${places}`;
  return `account ${accountId} market ${marketId}: ${changeOf(market)}; ${orders}; worst case ${worstCase.sell} to ${worstCase.buy} contracts`;
}

function changeOf({ change, changes }: MarketPreview): string {
  if (change === "added") return change;
  if (change === "removed") return "removed, waits for SIGHUP";
  if (changes.length > 0) return changes.map(previewedText).join("; ");
  return change === "none" ? "unchanged" : "the strategy's code";
}
