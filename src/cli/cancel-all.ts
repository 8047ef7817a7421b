// `quoin cancel-all`: asks a running daemon to halt. Whether or not it answers, the command then cancels every order that the exchange
// lists or the ledger names, each with a CancelOrder. Its nonce is neither checked nor committed, so the command needs no lock and no
// daemon can block it.

import { withoutPaper } from "../bot/config/config.ts";
import type { EmergencyConfig } from "../bot/config/emergency.ts";
import { defaultMassCancel, type RemainingOrder } from "../bot/decider/acting/mass-cancel.ts";
import { remainingLines } from "../bot/decider/acting/remaining-text.ts";
import { type AgentKey, loadAgentKey } from "../bot/execution/agent-key.ts";
import { locklessCancel } from "../bot/execution/lockless-cancel.ts";
import { type LedgerReading, readSqlite } from "../bot/ledger/sqlite/sqlite.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import type { Venue } from "../bot/venue/port.ts";
import { otherChain, reachVenue } from "../daemon/reach-venue.ts";
import { findDaemon, postToDaemon } from "../daemon/running/ask-daemon.ts";
import type { AccountId } from "../domain/units.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_ORDERS_MAY_REST,
  EXIT_USAGE,
  type ExitCode,
  endWith,
  type Host,
} from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { commandText } from "../kernel/typed-command.ts";
import { readForEmergency } from "./read-config.ts";

const REASON = "quoin cancel-all";

/** Exit 3 with the orders that may still rest; 1 when the exchange lives inside a daemon that does not answer. */
export async function cancelAll(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const { chainId } = config.venue;
  const answer = await postToDaemon(await findDaemon(config, host), "/halt", { reason: REASON, chainId });
  const halted = answer.kind === "done";
  if (answer.kind === "refused") host.stderr(`quoin: the daemon is not halted: ${answer.why}\n`);
  const venue = reachVenue(config, host);
  const resume = commandText("resume --reason TEXT", config.file);
  if (venue === null) {
    host.stderr(
      halted
        ? `the daemon is halted, and cancels every order on its embedded exchange; ${resume} lets it trade again\n`
        : "no daemon answers, and the exchange is embedded in it\n",
    );
    return halted ? EXIT_DONE : EXIT_FAILED;
  }
  try {
    const other = await otherChain(config, venue);
    if (other !== undefined) throw new StartError("configuration", other);
    const { accounts } = withoutPaper(config);
    const keys = accounts.map(({ agentKeyFile }) => loadAgentKey(agentKeyFile ?? ""));
    const named = ordersInLedger(config, host);
    const results = accounts.map(({ accountId }, at) => {
      const own = named.filter((order) => order.accountId === accountId);
      return cancelAccount({ accountId, own, agentKey: keys[at] as AgentKey, venue: config.venue }, venue, host);
    });
    const remaining = (await Promise.all(results)).flat();
    const done = remaining.length === 0;
    if (halted) host.stderr(`the daemon is halted; ${resume} lets it trade again\n`);
    if (options.json) host.stdout(`${JSON.stringify({ halted, survivors: remaining })}\n`);
    else
      host.stdout(
        done ? "nothing rests\n" : `orders may still rest:\n${remaining.map((line) => `  ${line}\n`).join("")}`,
      );
    return done ? EXIT_DONE : EXIT_ORDERS_MAY_REST;
  } catch (error) {
    return endWith(EXIT_USAGE, messageOf(error), host);
  } finally {
    await venue.close();
  }
}

type Canceled = Pick<EmergencyConfig, "venue"> & {
  readonly accountId: AccountId;
  readonly own: readonly RemainingOrder[];
  readonly agentKey: AgentKey;
};

/** A line for each order that may still rest. */
async function cancelAccount(
  { accountId, own, agentKey, venue: { chainId, readLagMaxMs } }: Canceled,
  venue: Venue,
  { clock }: Host,
): Promise<readonly string[]> {
  const deadlineMs = defaultMassCancel.deadlineMs + readLagMaxMs;
  const options = { accountId, chainId, readLagMaxMs, agentKey, own: () => own, deadlineMs };
  return remainingLines(accountId, await locklessCancel(options, { clock, venue }));
}

/** More orders per account than an exchange lets rest. */
const NEWEST_MAX = 1000;

/** Orders that may still rest by the ledger. An unreadable ledger is named on stderr, and none is returned: the ledger only helps. */
function ordersInLedger({ ledger: { file }, accounts }: EmergencyConfig, host: Host) {
  if (file === null || !host.files.exists(file)) return [];
  let reading: LedgerReading | undefined;
  try {
    reading = readSqlite(file);
    const { read } = reading;
    const known = accounts.flatMap(({ accountId }) => read.knownOrders(accountId, NEWEST_MAX));
    return known.flatMap(({ isOver, price, size, ...order }) => {
      if (isOver) return [];
      return price === null || size === null ? order : { ...order, price, remainingSize: size };
    });
  } catch (error) {
    host.stderr(`quoin: ${messageOf(error)}; orders that only the ledger names are not looked for\n`);
    return [];
  } finally {
    reading?.close();
  }
}
