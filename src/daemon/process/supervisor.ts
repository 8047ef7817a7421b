// What is reported to a supervisor such as systemd (sd_notify): that the daemon or its watchdog is ready, that it turns, that it stops. Whether the exchange
// answers is no part of it: one that is away must not become a loop of restarts.

import type { Supervisor } from "../../host/host.ts";
import type { Clock } from "../../kernel/clock.ts";

/** A daemon or watchdog at work, as far as this is concerned. */
export type Turning = { readonly sinceTurnMs: () => number };

export type Supervised = {
  /** From now on only its turns keep the process alive. */
  readonly trades: (bot: Turning) => void;
  /** Between two runs in one process nothing turns: the process vouches for itself. */
  readonly pauses: () => void;
  /** Canceling goes on for as long as the unit's stop may take. */
  readonly stops: () => void;
};

/** Messages that come within what is allowed: two may be lost, or late on a busy machine. */
const FEEDS_PER_WATCHDOG = 3;

export function superviseBy(supervisor: Supervisor | null, clock: Clock): Supervised {
  if (supervisor === null) return { trades: () => {}, pauses: () => {}, stops: () => {} };
  const { notify, watchdogMs } = supervisor;
  let bot: Turning | null = null;
  let isReady = false;
  const everyMs = (watchdogMs ?? 0) / FEEDS_PER_WATCHDOG;
  const feed = () => {
    if (bot === null || bot.sinceTurnMs() < everyMs) notify("WATCHDOG=1");
  };
  const feeding = watchdogMs === null ? undefined : clock.every(everyMs, feed);
  return {
    trades(started) {
      bot = started;
      if (!isReady) notify("READY=1");
      isReady = true;
    },
    pauses() {
      bot = null;
    },
    stops() {
      feeding?.cancel();
      notify("STOPPING=1");
    },
  };
}
