// Whether a node could quote, whether or not it holds an account: its own stream to the exchange is alive, and its clock agrees with the
// chain's within every account's gate. A standby node has no account that would show this.

import { type Clock, instantOf, sleep } from "../../../kernel/clock.ts";
import { createBotState } from "../../account/account-state.ts";
import { fold } from "../../decider/fold.ts";
import { chainFact, streamFact } from "../../market/freshness.ts";
import { notFresh } from "../../risk/gates/gate.ts";
import { clockOff } from "../../risk/gates/venue-gates.ts";
import { fleetTiming } from "../../timing.ts";
import type { Venue } from "../../venue/port.ts";

export type Ability = {
  /** Why this node could not quote now; null: it could. */
  readonly lack: () => string | null;
  /** Resolves when the exchange has shown its time, or has failed to within a moment. */
  readonly known: Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens a stream without channels. `maxClockOffsetMs`: the least of all accounts. */
export function watchAbility(maxClockOffsetMs: number, venue: Pick<Venue, "stream" | "close">, clock: Clock): Ability {
  const state = createBotState({ markets: [], accounts: [], readLagMaxMs: 0 });
  const heard = Promise.withResolvers<void>();
  venue.stream([], (event) => {
    fold(state, event);
    if (event.kind === "pong") heard.resolve();
  });
  return {
    lack() {
      const now = instantOf(clock);
      const alive = streamFact(state, now);
      if (notFresh("stream", alive) !== null) return "it has no stream to the exchange";
      const off = clockOff(chainFact(state, alive, now), maxClockOffsetMs);
      if (off === null) return null;
      return typeof off.offsetMs === "number" ? clockText(off.offsetMs) : "the exchange's chain does not move on";
    },
    known: Promise.race([heard.promise, sleep(clock, fleetTiming.knownMs)]),
    close: () => venue.close(),
  };
}

const clockText = (offsetMs: number): string =>
  `its clock is ${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs < 0 ? "ahead of" : "behind"} the chain's`;
