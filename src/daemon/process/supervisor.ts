// Reports to a service manager such as systemd (sd_notify) that the daemon or its watchdog is ready, runs, or stops. Whether the exchange
// answers is not reported: an exchange that is down must not cause restarts.

import type { Supervisor } from "../../host/host.ts";
import type { Clock } from "../../kernel/clock.ts";

/** A running daemon or watchdog. */
export type Turning = { readonly sinceTurnMs: () => number };

export type Supervised = {
  /** Reports ready. From now on, messages stop when this no longer turns. */
  readonly trades: (bot: Turning) => void;
  /** Between two runs of one process nothing turns: messages go on meanwhile. */
  readonly pauses: () => void;
  /** Reports stopping, and sends no more messages. */
  readonly stops: () => void;
};

/** Messages per watchdog interval: two may be lost, or late on a busy machine. */
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
