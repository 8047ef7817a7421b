// Ends a process whose trading thread hangs, from a second thread: pauses the trading thread, cancels its orders one by one with signers of
// its own, confirms that, and exits with 1 when nothing rests, else 3.

import { write } from "node:fs";
import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { remainingLines } from "../../bot/decider/acting/remaining-text.ts";
import { agentKeyOf } from "../../bot/execution/agent-key.ts";
import { locklessCancel } from "../../bot/execution/lockless-cancel.ts";
import type { Holding } from "../../bot/service/lifecycle/build.ts";
import { createLog } from "../../bot/telemetry/log.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../../bot/venue/remote/remote.ts";
import { EXIT_FAILED, EXIT_ORDERS_MAY_REST, type ExitCode } from "../../host/host.ts";
import { Output } from "../../host/output.ts";
import { type Clock, sleep, systemClock } from "../../kernel/clock.ts";
import { createPrng } from "../../kernel/prng.ts";
import { type SharedSigner, signerOf } from "../../wire/signing.ts";

/** How long pausing the trading thread, and ending the process through it, may each take on a busy machine. */
const ANSWER_MS = 3000;
const CANCEL_MS = 5000;
const LAST_LINES_MS = 1000;

/** What the second thread knows of an account. */
export type SharedHolding = Omit<Holding, "agentKey"> & { readonly signer: SharedSigner };

export type Hung = {
  readonly held: readonly SharedHolding[];
  /** Null: the exchange is embedded in this process and ends with it. */
  readonly validatorUrl: string | null;
  readonly wsUrl: string | null;
  readonly terminal: boolean;
  /** How long the call has lasted. */
  readonly hungMs: number;
};

/** Ends the process. */
export async function endHung({ held, validatorUrl, wsUrl, terminal, hungMs }: Hung, clock: Clock): Promise<void> {
  const [stdout, stderr] = [outputTo(1), outputTo(2)];
  const log = createLog("info", { terminal, wallMs: clock.wallMs, write: (line) => stdout.print(line) });
  const trading = new TradingThread(clock);
  const place = await trading.hold();
  const where = place === null ? "" : ` at ${place}`;
  log.error(
    { event: "strategy.hung", at: place },
    `a strategy has not returned for ${hungMs / 1000} s${where}; all orders are canceled, then the process ends`,
  );
  const remaining = validatorUrl === null ? [] : await cancelAll(held, { validatorUrl, wsUrl }, clock);
  if (remaining.length === 0) log.error({ event: "crash.canceled" }, "no order of ours rests; the process ends");
  else stderr.print(`quoin: ended, and orders may still rest:\n${remaining.map((line) => `  ${line}\n`).join("")}`);
  await Promise.all([stdout.taken(LAST_LINES_MS), stderr.taken(LAST_LINES_MS)]);
  await trading.end(remaining.length === 0 ? EXIT_FAILED : EXIT_ORDERS_MAY_REST);
}

/** Resolves with a line per order that may still rest. Never rejects. */
async function cancelAll(
  held: readonly SharedHolding[],
  { validatorUrl, wsUrl }: { readonly validatorUrl: string; readonly wsUrl: string | null },
  clock: Clock,
): Promise<readonly string[]> {
  const options = { ...defaultRemoteOptions, warmConnections: 0, validatorUrl, wsUrl };
  const venue = createRemoteVenue(options, { clock, prng: createPrng(0n), report: () => {} });
  const ends = held.map(async ({ signer, keep, own, unknown, ...account }) => {
    const agentKey = agentKeyOf(signerOf(signer));
    const result = await locklessCancel(
      {
        ...account,
        agentKey,
        keep: new Set(keep),
        own: () => own,
        unresolved: () => unknown,
        deadlineMs: CANCEL_MS,
      },
      { clock, venue },
    );
    return remainingLines(account.accountId, result);
  });
  return (await Promise.all(ends)).flat();
}

/** The hanging thread, reached through the debugger, which alone can stop code that does not return. */
class TradingThread {
  readonly #session = new Session();
  readonly #clock: Clock;
  readonly #urls = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Pauses the thread, so that it sends nothing more. Resolves with the place as `FILE:LINE`; null: it cannot be paused, or its place is
   * unknown.
   */
  hold(): Promise<string | null> {
    const paused = new Promise<string | null>((resolve) => {
      this.#session.on("Debugger.scriptParsed", ({ params }) => this.#urls.set(params.scriptId, params.url));
      this.#session.on("Debugger.paused", ({ params }) => {
        const found = params.callFrames.map(({ location }) => this.#placeOf(location)).find((place) => place !== null);
        resolve(found ?? null);
      });
      this.#session.connectToMainThread();
      this.#session.post("Debugger.enable");
      this.#session.post("Debugger.pause");
    });
    return Promise.race([paused, sleep(this.#clock, ANSWER_MS).then(() => null)]);
  }

  #placeOf({ scriptId, lineNumber }: { readonly scriptId: string; readonly lineNumber: number }): string | null {
    const url = this.#urls.get(scriptId) ?? "";
    return url.startsWith("file:") ? `${fileURLToPath(url.split("?", 1)[0] ?? "")}:${lineNumber + 1}` : null;
  }

  /** Exits with this code. Kills the process if the thread does not answer. */
  async end(code: ExitCode): Promise<void> {
    // Closes stderr, on which Node would say that it waits for this debugger session.
    const expression = `process.getBuiltinModule("fs").closeSync(2), process.reallyExit(${code})`;
    this.#session.post("Runtime.evaluate", { expression });
    await sleep(this.#clock, ANSWER_MS);
    process.kill(process.pid, "SIGKILL");
  }
}

const outputTo = (fd: number): Output =>
  new Output({
    clock: systemClock,
    gap: (lines) => `quoin: ${lines} lines are missing here\n`,
    write: (bytes, done) => write(fd, bytes, done),
  });
