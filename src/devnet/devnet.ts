// The whole exchange in one process: its three HTTP listeners and the WebSocket stream.

import { macrotask } from "../kernel/clock.ts";
import { operatorDoor } from "./api/control/operator-door.ts";
import { type HttpListener, type HttpListenerModules, listen } from "./api/http/http-listener.ts";
import { openDoor } from "./api/http/open-door.ts";
import { defaultStreamOptions, serveStream } from "./api/stream/stream-server.ts";
import type { Chain } from "./chain/chain.ts";
import type { DevnetConfig } from "./config/config.ts";
import { createExchange, type Exchange, type ExchangeModules } from "./exchange.ts";

/** Addresses to listen on; port 0 means any free port. The control listener is always on loopback, whatever `host` is. */
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
  /** Answers what is in progress, finishes the open block and closes every socket. Then throws StoreError if the disk fails. */
  readonly close: () => Promise<void>;
};

export const anyFreePort: DevnetAddress = { host: "127.0.0.1", validatorPort: 0, restPort: 0, controlPort: 0 };

const LOOPBACK = "127.0.0.1";
/** Room for a transaction whose text is mostly blanks; the wire accepts no more. */
const BODY_BYTES_MAX = 16_384;

/**
 * Starts a devnet: at genesis, or from its disk. Throws ListenError if an address is not available, StoreError if the chain on the disk
 * cannot be resumed; nothing stays open then.
 */
export async function startDevnet(
  config: DevnetConfig,
  modules: ExchangeModules,
  address: DevnetAddress = anyFreePort,
): Promise<Devnet> {
  const exchange = createExchange({ config }, { atTurnEnd, ...modules });
  const open: HttpListener[] = [];
  try {
    const { validator, rest, control } = await serveHosts(exchange, modules, address, open);
    const stream = serveStream(validator, defaultStreamOptions, { ...modules, ...exchange.stream });
    exchange.chain.start();
    return {
      validatorUrl: validator.url,
      wsUrl: `${validator.url.replace("http", "ws")}${defaultStreamOptions.path}`,
      restUrl: rest.url,
      controlUrl: control.url,
      chain: exchange.chain,
      async close() {
        try {
          await exchange.close();
        } finally {
          await stream.close();
          await closeAll(open);
        }
      },
    };
  } catch (thrown) {
    await exchange.close();
    await closeAll(open);
    throw thrown;
  }
}

/** One turn of the event loop reads all sockets that have data. */
const atTurnEnd = (run: () => void): void => void macrotask().then(run);

/** Faults affect requests to validator and REST, never to the operator's host. Adds each listener to `open` once it listens. */
async function serveHosts(
  { validator, rest, control, faults, speech }: Exchange,
  { clock, log }: ExchangeModules,
  { host, validatorPort, restPort, controlPort }: DevnetAddress,
  open: HttpListener[],
) {
  const serve = async (
    name: string,
    at: { readonly host: string; readonly port: number },
    served: Pick<HttpListenerModules, "host" | "door" | "faultFor" | "speech">,
  ) => {
    const listener = await listen({ name, ...at, bodyBytesMax: BODY_BYTES_MAX }, { clock, log, ...served });
    open.push(listener);
    return listener;
  };
  const strikes = { door: openDoor, faultFor: faults.forRequest, speech };
  return {
    validator: await serve("validator", { host, port: validatorPort }, { host: validator, ...strikes }),
    rest: await serve("rest", { host, port: restPort }, { host: rest, ...strikes }),
    control: await serve("control", { host: LOOPBACK, port: controlPort }, { host: control, door: operatorDoor }),
  };
}

const closeAll = async (open: readonly HttpListener[]): Promise<void> => {
  await Promise.all(open.map((listener) => listener.close()));
};
