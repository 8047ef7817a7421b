// `quoin preview`: asks the running daemon what another configuration would change at this moment. Nothing is sent or changed.

import type { MarketPreview } from "../bot/service/operator/preview.ts";
import { findDaemon, postToDaemon } from "./ask-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { readForStart } from "./reach-venue.ts";

export type PreviewOptions = { readonly config: string; readonly json: boolean };

/** Strategies are read and tried once more, by the daemon. */
const ANSWER_MS_MAX = 30_000;

/** Exit 1 when no daemon answers or it refuses, 2 when the configuration is wrong. */
export async function preview(options: PreviewOptions, host: Host): Promise<ExitCode> {
  const config = await readForStart(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const file = host.files.resolve("", options.config);
  const daemon = await findDaemon(config, host);
  const answer = await postToDaemon(daemon, "/preview", { file }, ANSWER_MS_MAX);
  if (answer.kind !== "done") {
    const why = answer.kind === "nobody" ? `no daemon answers at ${daemon.url}` : answer.why;
    host.stderr(`quoin: ${why}\n`);
    return EXIT_FAILED;
  }
  const { markets } = answer.body as { readonly markets: readonly MarketPreview[] };
  if (options.json) for (const market of markets) host.stdout(`${JSON.stringify(market)}\n`);
  else for (const market of markets) host.stdout(`${lineOf(market)}\n`);
  return EXIT_DONE;
}

function lineOf({ accountId, marketId, change, keeps, cancels, modifies, places, worstCase }: MarketPreview): string {
  const what =
    change === "none" ? "unchanged" : change === "added" || change === "removed" ? change : `other ${change}`;
  const orders = `keeps ${keeps}, moves ${modifies}, cancels ${cancels}, places ${places}`;
  return `account ${accountId} market ${marketId}: ${what}; ${orders}; worst case ${worstCase.sell} to ${worstCase.buy} contracts`;
}
