// `quoin cancel`: the running daemon cancels one order of ours.

import type { CanceledOrder } from "../bot/service/operator/cancel-order.ts";
import { findDaemon, postToDaemon } from "../daemon/running/ask-daemon.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_ORDERS_MAY_REST,
  EXIT_USAGE,
  type ExitCode,
  endWith,
  type Host,
} from "../host/host.ts";
import { commandText } from "../kernel/typed-command.ts";
import { readForEmergency } from "./read-config.ts";

export type CancelOptions = {
  readonly config: string;
  readonly account: string;
  readonly order: string;
  readonly json: boolean;
};

/** Long enough for the daemon to wait for the exchange's answer. */
const ANSWER_MS_MAX = 30_000;
const HTTP_NO_ANSWER = 504;

/** Exit 1 when no daemon answers or it refuses; 2 when the account is not in the configuration; 3 when the order may still rest. */
export async function cancel({ config: file, account, order, json }: CancelOptions, host: Host): Promise<ExitCode> {
  const config = readForEmergency(file, host);
  if (config === undefined) return EXIT_USAGE;
  if (!config.accounts.some(({ accountId }) => `${accountId}` === account))
    return endWith(EXIT_USAGE, `${file} has no account ${account}`, host);
  const request = { chainId: config.venue.chainId, account, order };
  const daemon = await findDaemon(config, host);
  const answer = await postToDaemon(daemon, "/cancel", request, ANSWER_MS_MAX);
  if (answer.kind === "nobody")
    return endWith(
      EXIT_FAILED,
      `no daemon answers at ${daemon.url}; ${commandText("cancel-all", file)} cancels every order without one`,
      host,
    );
  if (answer.kind === "refused")
    return endWith(answer.httpStatus === HTTP_NO_ANSWER ? EXIT_ORDERS_MAY_REST : EXIT_FAILED, answer.why, host);
  const { marketId, side, size, price, isConfirmed } = answer.body as CanceledOrder;
  const done = isConfirmed ? "canceled" : "cancel executed; the exchange has not yet said that the order is gone";
  const text = `account ${account}: order ${order} (${side} ${size} at ${price} in market ${marketId}): ${done}`;
  host.stdout(`${json ? JSON.stringify(answer.body) : text}\n`);
  return EXIT_DONE;
}
