// An uncaught error is a bug of ours. It ends the process, which first cancels all orders so that none rests unattended.

import type { Bot } from "../../bot/service/lifecycle/bot.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import { EXIT_FAILED, EXIT_ORDERS_MAY_REST, type ExitCode, type Host } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";

type Abandoned = Pick<Bot, "abandon">;

export type Crash = {
  /** Sets the bot whose orders are canceled. */
  readonly reaches: (bot: Abandoned | undefined) => void;
  /** Cancels the bot's orders within five seconds. Resolves with the exit code. Only the first error counts. Never rejects. */
  readonly end: (error: unknown) => Promise<ExitCode>;
};

/** Makes the first uncaught error end the process this way. */
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

/** A failing log must not stop the canceling. */
function say(print: () => void): void {
  try {
    print();
  } catch {
    // There is nowhere left to report it.
  }
}
