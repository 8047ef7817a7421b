// The whole exchange in one process, serving: chain, index prints, crowd, and the three listeners over them.

import { createPrng } from "../kernel/prng.ts";
import { controlRoutes } from "./api/control/control.ts";
import {
  type Disturbance,
  disturbedClock,
  disturbedPrints,
  type FaultActModules,
  noDisturbance,
} from "./api/faults/fault-acts.ts";
import { faultRoutes } from "./api/faults/fault-routes.ts";
import { createFaults, type Faults } from "./api/faults/faults.ts";
import { createCredentials } from "./api/http/credentials.ts";
import { type HttpListener, type Log, listen } from "./api/http/http-listener.ts";
import { createRouter, type Route } from "./api/http/router.ts";
import { createThrottle } from "./api/http/throttle.ts";
import { createHistory, type History } from "./api/routes/history.ts";
import { restRoutes } from "./api/routes/rest.ts";
import { validatorRoutes } from "./api/routes/validator.ts";
import { createStream } from "./api/stream/stream.ts";
import { defaultStreamOptions } from "./api/stream/stream-server.ts";
import { type Chain, type ChainModules, createChain } from "./chain/chain.ts";
import type { DevnetConfig } from "./config/config.ts";
import { createCrowd } from "./crowd/crowd.ts";
import { createPrintSource, indexPathsOf } from "./crowd/prints.ts";

export type DevnetModules = Pick<ChainModules, "clock" | "verifier" | "enclave" | "disk"> & { readonly log: Log };

/** Where to listen; a port 0 means any free one. The control listener is on loopback whatever `host` says. */
export type DevnetAddress = {
  readonly host: string;
  readonly validatorPort: number;
  readonly restPort: number;
  readonly controlPort: number;
};

export type Devnet = {
  readonly validatorUrl: string;
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly controlUrl: string;
  readonly chain: Chain;
  /** Answers what is under way, finishes the open block and frees every socket. */
  readonly close: () => Promise<void>;
};

export const anyFreePort: DevnetAddress = { host: "127.0.0.1", validatorPort: 0, restPort: 0, controlPort: 0 };

const LOOPBACK = "127.0.0.1";
/** Room for a transaction whose text is mostly blanks; the wire reads no more. */
const BODY_BYTES_MAX = 16_384;

/**
 * Starts a devnet: at genesis, or where its disk left off. Throws ListenError when an address cannot be had, StoreError when the disk
 * cannot be gone on from; nothing is left open then.
 */
export async function startDevnet(
  config: DevnetConfig,
  modules: DevnetModules,
  address: DevnetAddress = anyFreePort,
): Promise<Devnet> {
  const disturbance = noDisturbance();
  const { chain, history } = chainOf(config, modules, disturbance);
  const faults = createFaults(modules.clock, createPrng(config.seed).fork("faults"));
  const parts = { ...modules, chain, faults, disturbance, history };
  const open: HttpListener[] = [];
  try {
    const { validator, rest } = await serveExchange(config, parts, address, open);
    const stream = createStream(validator.server, defaultStreamOptions, parts);
    const control = await serveControl(config, { ...parts, connections: stream.connections }, address, open);
    chain.start();
    return {
      validatorUrl: validator.url,
      wsUrl: `${validator.url.replace("http", "ws")}${defaultStreamOptions.path}`,
      restUrl: rest.url,
      controlUrl: control.url,
      chain,
      async close() {
        for (const ending of disturbance.endings) ending.cancel();
        await chain.close();
        await stream.close();
        await closeAll(open);
      },
    };
  } catch (thrown) {
    await chain.close();
    await closeAll(open);
    throw thrown;
  }
}

type Parts = DevnetModules & {
  readonly chain: Chain;
  readonly faults: Faults;
  readonly disturbance: Disturbance;
  readonly history: History;
};

function chainOf(config: DevnetConfig, modules: DevnetModules, disturbance: Disturbance) {
  const paths = indexPathsOf(config);
  const crowd = createCrowd(config, paths);
  const history = createHistory(new Set(crowd?.accounts.map(({ accountId }) => accountId)));
  const parts = {
    ...modules,
    clock: disturbedClock(modules.clock, disturbance),
    prints: disturbedPrints(createPrintSource(paths, config.blockTimeMs), disturbance),
    indexes: [history],
    ...(crowd && { crowd }),
  };
  return { chain: createChain({ config }, parts), history };
}

/** Validator and REST: throttled together, and where faults strike. Each listener is pushed to `open` as soon as it listens. */
async function serveExchange(config: DevnetConfig, parts: Parts, address: DevnetAddress, open: HttpListener[]) {
  const { chain, clock, log, faults } = parts;
  const { requestsPerSecond } = config.throttle;
  const throttle = requestsPerSecond > 0 ? createThrottle(requestsPerSecond, clock) : undefined;
  const serve = async (name: string, port: number, routes: readonly Route[]) => {
    const served = {
      router: createRouter(routes),
      clock,
      log,
      tamperWith: faults.forRequest,
      ...(throttle && { throttle }),
    };
    const listener = await listen({ name, host: address.host, port, bodyBytesMax: BODY_BYTES_MAX }, served);
    open.push(listener);
    return listener;
  };
  const credentials = createCredentials(config);
  const validator = await serve("validator", address.validatorPort, validatorRoutes(chain, credentials));
  const rest = await serve("rest", address.restPort, restRoutes(chain, credentials, parts.history));
  return { validator, rest };
}

async function serveControl(
  config: DevnetConfig,
  parts: Parts & FaultActModules,
  address: DevnetAddress,
  open: HttpListener[],
): Promise<HttpListener> {
  const { chain, clock, log, faults } = parts;
  const routes = [...controlRoutes(chain, config.clock.mode), ...faultRoutes(faults, parts)];
  const options = { name: "control", host: LOOPBACK, port: address.controlPort, bodyBytesMax: BODY_BYTES_MAX };
  const listener = await listen(options, { router: createRouter(routes), clock, log });
  open.push(listener);
  return listener;
}

const closeAll = async (open: readonly HttpListener[]): Promise<void> => {
  await Promise.all(open.map((listener) => listener.close()));
};
