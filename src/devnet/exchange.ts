// The whole exchange without sockets: chain, index prints, crowd, faults on demand, the routes of its three hosts, and the stream.
// devnet.ts adds listeners; a program with a virtual clock calls it directly.

import { createPrng } from "../kernel/prng.ts";
import { controlRoutes } from "./api/control/control.ts";
import { actFault, type Disturbance, disturbedClock, disturbedPrints, noDisturbance } from "./api/faults/fault-acts.ts";
import { faultRoutes } from "./api/faults/fault-routes.ts";
import type { FaultAct } from "./api/faults/fault-rules.ts";
import { createFaults, type Faults } from "./api/faults/faults.ts";
import { ForeignSpeech } from "./api/faults/foreign-words.ts";
import { createCredentials } from "./api/http/credentials.ts";
import { createHost, type Host, type Log } from "./api/http/host.ts";
import { createThrottle } from "./api/http/throttle.ts";
import { createHistory } from "./api/routes/history.ts";
import { restRoutes } from "./api/routes/rest.ts";
import { createServedReads, type ServedReads } from "./api/routes/served-reads.ts";
import { validatorRoutes } from "./api/routes/validator.ts";
import { createHub, type StreamHub } from "./api/stream/stream.ts";
import { type Chain, type ChainModules, type ChainOptions, createChain } from "./chain/chain.ts";
import { createCrowd } from "./crowd/crowd.ts";
import { createPrintSource, indexPathsOf } from "./crowd/prints.ts";
import type { Receipt } from "./event.ts";

export type ExchangeOptions = Pick<ChainOptions, "config" | "isExplored" | "resumeFrom">;

export type ExchangeModules = Pick<ChainModules, "clock" | "verifier" | "enclave" | "disk" | "atTurnEnd"> & {
  readonly log: Log;
};

export type Exchange = {
  readonly chain: Chain;
  /** The validator's answers to reads that clients repeat, as values. */
  readonly reads: ServedReads;
  /** Shares its rate limit with `rest`. */
  readonly validator: Host;
  readonly rest: Host;
  /** Only for the operator of the devnet, never part of the exchange's own API. */
  readonly control: Host;
  readonly stream: StreamHub;
  /** The lasting faults. The transport of requests must call `forRequest`; the stream applies its own. */
  readonly faults: Faults;
  /** The wording of answers, applied by the transport; the stream applies it itself. */
  readonly speech: ForeignSpeech;
  /** Executes a fault that acts now. A failed receipt means that nothing changed. */
  readonly act: (fault: FaultAct) => Receipt;
  /** Ends the active faults, finishes the open block and answers what is pending. Throws StoreError if the disk fails. */
  readonly close: () => Promise<void>;
};

/**
 * Creates an exchange at genesis, or from its disk; `chain.start` starts it. Throws RangeError if the configuration contradicts itself,
 * StoreError if the chain on the disk cannot be resumed.
 */
export function createExchange(options: ExchangeOptions, modules: ExchangeModules): Exchange {
  const { config } = options;
  const { clock, log } = modules;
  const disturbance = noDisturbance();
  const { chain, history } = chainOf(options, modules, disturbance);
  const faults = createFaults(clock, createPrng(config.seed).fork("faults"));
  const speech = new ForeignSpeech();
  const stream = createHub({ chain, faults, speech });
  const { connections } = stream;
  const act = (fault: FaultAct) => actFault(fault, { chain, clock, disturbance, connections, speech });
  const { requestsPerSecond } = config.throttle;
  const throttle = requestsPerSecond > 0 ? createThrottle(requestsPerSecond, clock) : undefined;
  const credentials = createCredentials(config);
  const reads = createServedReads(chain.reads);
  return {
    chain,
    reads,
    validator: createHost(validatorRoutes(chain, reads, credentials), { log, throttle }),
    rest: createHost(restRoutes(chain, credentials, history), { log, throttle }),
    control: createHost([...controlRoutes(chain, config.clock.mode), ...faultRoutes(faults, act)], { log }),
    stream,
    faults,
    speech,
    act,
    async close() {
      for (const ending of disturbance.endings) ending.cancel();
      try {
        await chain.close();
      } finally {
        stream.close();
      }
    },
  };
}

function chainOf(options: ExchangeOptions, modules: ExchangeModules, disturbance: Disturbance) {
  const { config } = options;
  const paths = indexPathsOf(config);
  const crowd = createCrowd(config, paths);
  const history = createHistory(new Set(crowd?.accounts.map(({ accountId }) => accountId)));
  const chain = createChain(options, {
    ...modules,
    clock: disturbedClock(modules.clock, disturbance),
    prints: disturbedPrints(createPrintSource(paths, config.blockTimeMs), disturbance),
    indexes: [history],
    ...(crowd && { crowd }),
  });
  return { chain, history };
}
