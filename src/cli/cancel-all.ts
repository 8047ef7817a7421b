// `quoin cancel-all`: a running daemon is asked to halt; answered or not, every order is canceled by itself with CancelOrder,
// whose nonce is neither checked nor committed, so no lock is needed and nothing a daemon does is in the way.

import type { QuotedAccount } from "../bot/config/config.ts";
import { type AgentKey, loadAgentKey } from "../bot/execution/agent-key.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { survivorLines } from "../bot/service/operator/clearing.ts";
import { sweepAccount } from "../bot/service/operator/sweep.ts";
import type { Venue } from "../bot/venue/port.ts";
import { messageOf } from "../kernel/errors.ts";
import { askHalt } from "./ask-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_ORDERS_MAY_REST, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { otherChain, reachVenue, readConfig } from "./reach-venue.ts";

const REASON = "quoin cancel-all";

/** Exit 3 with the orders that may still rest; 1 when the exchange lives inside a daemon that does not answer. */
export async function cancelAll(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  const config = await readConfig(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const halted = await askHalt(config, REASON, host.clock);
  const venue = reachVenue(config, host);
  if (venue === null) {
    host.stderr(
      halted ? "the daemon halts; its exchange is inside it\n" : "no daemon answers, and its exchange is inside it\n",
    );
    return halted ? EXIT_DONE : EXIT_FAILED;
  }
  try {
    const other = await otherChain(config, venue);
    if (other !== undefined) throw new StartError("configuration", other);
    const keys = config.accounts.map(({ agentKeyFile }) => loadAgentKey(agentKeyFile ?? ""));
    const survivors = (
      await Promise.all(
        config.accounts.map((account, at) => sweep(account, keys[at] as AgentKey, config.venue.chainId, venue, host)),
      )
    ).flat();
    const done = survivors.length === 0;
    if (options.json) host.stdout(`${JSON.stringify({ halted, survivors })}\n`);
    else
      host.stdout(
        done ? "nothing rests\n" : `orders may still rest:\n${survivors.map((line) => `  ${line}\n`).join("")}`,
      );
    return done ? EXIT_DONE : EXIT_ORDERS_MAY_REST;
  } catch (error) {
    host.stderr(`quoin: ${messageOf(error)}\n`);
    return EXIT_USAGE;
  } finally {
    await venue.close();
  }
}

/** A line for each order that may still rest. */
async function sweep(
  { accountId }: QuotedAccount,
  agentKey: AgentKey,
  chainId: string,
  venue: Venue,
  { clock }: Host,
): Promise<readonly string[]> {
  return survivorLines(accountId, await sweepAccount({ accountId, chainId, agentKey }, { clock, venue }));
}
