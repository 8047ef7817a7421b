// The venue port over an exchange in the same process, without sockets: the remote venue itself, with its bytes carried by links in virtual
// time. Only the network is simulated.

import type { Venue } from "../bot/venue/port.ts";
import type { HttpLaneOptions } from "../bot/venue/remote/http.ts";
import { createRemoteVenue, defaultRemoteOptions, type RemoteOptions } from "../bot/venue/remote/remote.ts";
import type { Prng } from "../kernel/prng.ts";
import type { VirtualClock } from "../kernel/virtual-clock.ts";
import type { SimulatedExchange } from "./exchange.ts";
import { createHttpLink, type HttpWitness } from "./network/http-link.ts";
import type { NetworkConditions } from "./network/network-conditions.ts";
import { createStreamLink, type LinkConnection, type StreamWitness } from "./network/stream-link.ts";
import type { Reach } from "./process-run.ts";

export type InProcessModules = {
  readonly world: VirtualClock;
  /** The process that uses the venue. */
  readonly processRun: Reach;
  readonly exchange: SimulatedExchange;
  readonly conditions: NetworkConditions;
  readonly prng: Prng;
  readonly witness?: HttpWitness & StreamWitness;
  /** Called for each stream connection when it opens. */
  readonly register?: (connection: LinkConnection) => void;
};

const nobody: HttpWitness & StreamWitness = {
  onSent: () => {},
  onExecuted: () => {},
  onEnd: () => {},
  onOpen: () => {},
  onFrame: () => {},
  onClose: () => {},
};

/** A name for logs; never resolved. */
const ADDRESS = "http://exchange.invalid";

export function createInProcessVenue(
  options: Partial<Omit<RemoteOptions, "validatorUrl" | "wsUrl">>,
  modules: InProcessModules,
): Venue {
  const { processRun, prng, witness = nobody, register = () => {} } = modules;
  const links = { ...modules, witness, register };
  const lane = (options: HttpLaneOptions) => createHttpLink(options, links);
  return createRemoteVenue(
    { ...defaultRemoteOptions, ...options, validatorUrl: ADDRESS },
    {
      clock: processRun.clock,
      prng,
      report: () => {},
      transport: { lane, connect: createStreamLink(links) },
    },
  );
}
