// How a process ends whose trading thread hangs, called in a thread beside it: holds that thread still, cancels order by order with keys of
// its own, confirms, and ends the process: 1 where nothing rests, else 3.

import { write } from "node:fs";
import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { remainingLines } from "../../bot/decider/remaining-text.ts";
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

/** For the trading thread to stand still, and for it to end, on a machine that is busy with other things too. */
const ANSWER_MS = 3000;
const CANCEL_MS = 5000;
const LAST_LINES_MS = 1000;

/** An account as the thread knows it. */
export type SharedHolding = Omit<Holding, "agentKey"> & { readonly signer: SharedSigner };

export type Hung = {
  readonly held: readonly SharedHolding[];
  /** Null: the exchange lives in this process, and ends with it. */
  readonly validatorUrl: string | null;
  readonly wsUrl: string | null;
  readonly terminal: boolean;
  /** How long the call has lasted. */
  readonly hungMs: number;
};

/** Does not return. */
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

/** Never rejects; lines of what may still rest. */
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

/** The thread that hangs, by way of the runtime's debugger: it alone reaches into code that does not return. */
class TradingThread {
  readonly #session = new Session();
  readonly #clock: Clock;
  readonly #urls = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stops it where it is, so that it sends nothing meanwhile. Where that is, `FILE:LINE`; null: it cannot be stopped, or does not say. */
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

  /** Ends the process with this code; where the thread does not answer, without one. */
  async end(code: ExitCode): Promise<void> {
    // The runtime would tell, on stderr, that it waits for this very session.
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
