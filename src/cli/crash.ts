// An error that nothing caught: a fault of ours. Orders of a process that is about to end must not rest, so it cancels first.

import type { Bot } from "../bot/service/lifecycle/bot.ts";
import type { Log } from "../bot/telemetry/log.ts";
import { messageOf } from "../kernel/errors.ts";
import { EXIT_FAILED, EXIT_ORDERS_MAY_REST, type Host } from "./host.ts";

/** From now on the first such error cancels what the bot of then has, within five seconds, and ends the process. */
export function endOnCrash(
  host: Host,
  log: Log,
): { readonly reaches: (bot: Pick<Bot, "abandon"> | undefined) => void } {
  let bot: Pick<Bot, "abandon"> | undefined;
  let isEnding = false;
  host.onCrash((error) => {
    if (isEnding) return;
    isEnding = true;
    void end(error);
  });

  async function end(err: unknown): Promise<void> {
    const stack = err instanceof Error ? err.stack : undefined;
    const message = `an error that nothing caught: ${messageOf(err)}; all orders are canceled, then the process ends; please report this`;
    log.error({ event: "crashed", err, stack }, message);
    const remaining = (await bot?.abandon()) ?? [];
    if (remaining.length === 0) {
      log.error({ event: "crash.canceled" }, "the exchange lists no order of ours; the process ends");
      return host.exit(EXIT_FAILED);
    }
    host.stderr(`quoin: crashed, and orders may still rest:\n${remaining.map((line) => `  ${line}\n`).join("")}`);
    host.exit(EXIT_ORDERS_MAY_REST);
  }

  return {
    reaches(made) {
      bot = made;
    },
  };
}
