// An error that nothing caught: a fault of ours. Orders of a process that is about to end must not rest, so it cancels first.

import type { Bot } from "../../bot/service/lifecycle/bot.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import { EXIT_FAILED, EXIT_ORDERS_MAY_REST, type ExitCode, type Host } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";

type Abandoned = Pick<Bot, "abandon">;

export type Crash = {
  /** The bot of now. */
  readonly reaches: (bot: Abandoned | undefined) => void;
  /** Cancels what the bot of now has, within five seconds. Resolves with how the process is to end; the first error counts. Never rejects. */
  readonly end: (error: unknown) => Promise<ExitCode>;
};

/** From now on the first error that nothing caught ends the process that way. */
export function endOnCrash(host: Host, log: Log): Crash {
  let bot: Abandoned | undefined;
  let ending: Promise<ExitCode> | undefined;

  function end(err: unknown): Promise<ExitCode> {
    ending ??= abandon(err);
    return ending;
  }

  async function abandon(err: unknown): Promise<ExitCode> {
    const stack = err instanceof Error ? err.stack : undefined;
    const message = `an error that nothing caught: ${messageOf(err)}; all orders are canceled, then the process ends; please report this`;
    say(() => log.error({ event: "crashed", err, stack }, message));
    const unknown = (): readonly string[] => ["which orders rest is not known"];
    const remaining = (await bot?.abandon().catch(unknown)) ?? [];
    if (remaining.length === 0) {
      say(() => log.error({ event: "crash.canceled" }, "the exchange lists no order of ours; the process ends"));
      return EXIT_FAILED;
    }
    say(() => host.stderr(`quoin: crashed, and ${ordersMayRest(remaining)}`));
    return EXIT_ORDERS_MAY_REST;
  }

  host.onCrash((error) => void end(error).then(host.exit));
  return {
    reaches(made) {
      bot = made;
    },
    end,
  };
}

export const ordersMayRest = (lines: readonly string[]): string =>
  `orders may still rest:\n${lines.map((line) => `  ${line}\n`).join("")}`;

/** Whatever is wrong with the log, canceling goes on. */
function say(print: () => void): void {
  try {
    print();
  } catch {
    // Nobody is left to say it to.
  }
}
