// `quoin cancel-all`: asks a running daemon to halt; then, answered or not, cancels every order with a CancelOrder of its own,
// whose nonce is neither checked nor committed: it needs no lock, and no daemon can be in its way.

import type { EmergencyAccount } from "../bot/config/emergency.ts";
import { type AgentKey, loadAgentKey } from "../bot/execution/agent-key.ts";
import { locklessCancel } from "../bot/execution/lockless-cancel.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { remainingLines } from "../bot/service/operator/halts.ts";
import type { Venue } from "../bot/venue/port.ts";
import { messageOf } from "../kernel/errors.ts";
import { daemonOf, postToDaemon } from "./ask-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_ORDERS_MAY_REST, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { otherChain, reachVenue, readForEmergency } from "./reach-venue.ts";

const REASON = "quoin cancel-all";

/** Exit 3 with the orders that may still rest; 1 when the exchange lives inside a daemon that does not answer. */
export async function cancelAll(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const { chainId } = config.venue;
  const answer = await postToDaemon(daemonOf(config, host), "/halt", { reason: REASON, chainId });
  const halted = answer.kind === "done";
  if (answer.kind === "refused") host.stderr(`quoin: the daemon is not halted: ${answer.why}\n`);
  const venue = reachVenue(config, host);
  if (venue === null) {
    host.stderr(
      halted
        ? "daemon halted; it cancels every order on its embedded exchange\n"
        : "no daemon answers, and the exchange is embedded in it\n",
    );
    return halted ? EXIT_DONE : EXIT_FAILED;
  }
  try {
    const other = await otherChain(config, venue);
    if (other !== undefined) throw new StartError("configuration", other);
    const keys = config.accounts.map(({ agentKeyFile }) => loadAgentKey(agentKeyFile ?? ""));
    const results = config.accounts.map((account, at) =>
      cancelAccount(account, keys[at] as AgentKey, config.venue.chainId, venue, host),
    );
    const remaining = (await Promise.all(results)).flat();
    const done = remaining.length === 0;
    if (halted) host.stderr("the daemon is halted; quoin resume lets it trade again\n");
    if (options.json) host.stdout(`${JSON.stringify({ halted, survivors: remaining })}\n`);
    else
      host.stdout(
        done ? "nothing rests\n" : `orders may still rest:\n${remaining.map((line) => `  ${line}\n`).join("")}`,
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
async function cancelAccount(
  { accountId }: EmergencyAccount,
  agentKey: AgentKey,
  chainId: string,
  venue: Venue,
  { clock }: Host,
): Promise<readonly string[]> {
  return remainingLines(accountId, await locklessCancel({ accountId, chainId, agentKey }, { clock, venue }));
}
