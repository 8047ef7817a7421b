// The exchange without sockets: the devnet's own chain, routes, throttle and stream, called directly. What it lacks beside the served
// one is the HTTP listener and the WebSocket server.

import {
  actFault,
  type Disturbance,
  disturbedClock,
  disturbedPrints,
  noDisturbance,
} from "../devnet/api/faults/fault-acts.ts";
import type { FaultAct } from "../devnet/api/faults/fault-rules.ts";
import { createFaults } from "../devnet/api/faults/faults.ts";
import { createCredentials } from "../devnet/api/http/credentials.ts";
import { type Reply, refusal } from "../devnet/api/http/reply.ts";
import { createRouter } from "../devnet/api/http/router.ts";
import type { Throttle } from "../devnet/api/http/throttle.ts";
import { createThrottle } from "../devnet/api/http/throttle.ts";
import { validatorRoutes } from "../devnet/api/routes/validator.ts";
import { createHub } from "../devnet/api/stream/stream.ts";
import type { Connection } from "../devnet/api/stream/stream-server.ts";
import { type Chain, createChain } from "../devnet/chain/chain.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { createCrowd } from "../devnet/crowd/crowd.ts";
import { createPrintSource, indexPathsOf } from "../devnet/crowd/prints.ts";
import type { Receipt } from "../devnet/event.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { createPrng } from "../kernel/prng.ts";
import { WireError } from "../wire/errors.ts";
import type { Signer, Verifier } from "../wire/signing.ts";
import { type Lag, PastReads } from "./past-reads.ts";

export type ExchangeOptions = {
  readonly config: DevnetConfig;
  /** Whether an executed but refused transaction uses up its nonce; the interface is silent (x6). */
  readonly refusedNonce?: "commits" | "staysFree";
};

export type ExchangeModules = {
  readonly clock: Clock;
  readonly verifier: Verifier;
  readonly signerOf: (seed: Uint8Array) => Signer;
};

export type HttpCall = { readonly method: string; readonly path: string; readonly body: string | null };

/** The exchange's end of one stream connection. */
export type StreamEnd = { readonly received: (text: string) => void; readonly closed: () => void };

export type Exchange = {
  readonly chain: Chain;
  /** One request from an address, the bot's unless said, answered as the validator's listener would. Never rejects. */
  readonly request: (call: HttpCall, client?: string) => Promise<Reply>;
  /** A node falls behind, or none is (null): reads are answered as of blocks ago. */
  readonly lag: (lag: Lag | null) => void;
  /** Whether a node that is behind answered it. */
  readonly wasOld: (call: HttpCall) => boolean;
  /** A client connected; `send` and `drop` are its side of the connection. */
  readonly connect: (send: (frame: Uint8Array) => void, drop: () => void) => StreamEnd;
  /** Somebody else uses up a request of our address's rate. */
  readonly crowdOut: () => void;
  /** What an operator of a devnet may do to it on purpose. */
  readonly act: (act: FaultAct) => Receipt;
  /** Whether a new subscriber to a book is shown the snapshot before the present one. */
  readonly staleSnapshots: (on: boolean) => void;
  readonly close: () => Promise<void>;
};

const CLIENT = "127.0.0.1";

export function createExchange({ config, refusedNonce }: ExchangeOptions, modules: ExchangeModules): Exchange {
  const { clock } = modules;
  const disturbance = noDisturbance();
  const chain = chainOf(config, refusedNonce, disturbance, modules);
  const router = createRouter(validatorRoutes(chain, createCredentials(config)));
  const { requestsPerSecond } = config.throttle;
  const throttle: Throttle | undefined = requestsPerSecond > 0 ? createThrottle(requestsPerSecond, clock) : undefined;
  const faults = createFaults(clock, createPrng(config.seed));
  const hub = createHub({ chain, faults });
  const past = new PastReads();
  const old = new WeakSet<HttpCall>();
  chain.onBlock(() => void past.keep((path) => handle({ method: "GET", path, body: null })));
  chain.start();

  async function request(call: HttpCall, client = CLIENT): Promise<Reply> {
    const waitMs = throttle?.take(client) ?? 0;
    if (waitMs > 0) return throttled(waitMs);
    const before = call.method === "GET" ? past.answer(call.path) : undefined;
    if (before === undefined) return handle(call);
    old.add(call);
    return before;
  }

  async function handle({ method, path, body }: HttpCall): Promise<Reply> {
    const found = router.find(method, path);
    if (found.kind !== "found") return refusal(404, "UNKNOWN_PATH", "there is nothing at this path");
    try {
      return await found.route.handle({
        route: `${method} ${found.route.path}`,
        params: found.params,
        query: new URLSearchParams(),
        header: () => undefined,
        body: Buffer.from(body ?? ""),
      });
    } catch (thrown) {
      if (thrown instanceof WireError) return refusal(400, "MALFORMED", thrown.message);
      return refusal(500, "INTERNAL", messageOf(thrown));
    }
  }

  return {
    chain,
    request,
    lag(lag) {
      past.lag = lag;
    },
    wasOld: (call) => old.has(call),
    connect(send, drop) {
      const connection: Connection = { send, mute: () => {}, drop };
      return { received: (text) => hub.received(connection, text), closed: () => hub.closed(connection) };
    },
    crowdOut: () => void throttle?.take(CLIENT),
    act: (act) => actFault(act, { chain, clock, disturbance, connections: () => [] }),
    staleSnapshots(on) {
      faults.removeAll();
      if (on) faults.add({ kind: "staleSnapshot", channel: null, count: null, probability: 1, forMs: null });
    },
    async close() {
      for (const ending of disturbance.endings) ending.cancel();
      hub.close();
      await chain.close();
    },
  };
}

function chainOf(
  config: DevnetConfig,
  refusedNonce: ExchangeOptions["refusedNonce"],
  disturbance: Disturbance,
  { clock, verifier, signerOf }: ExchangeModules,
): Chain {
  const paths = indexPathsOf(config);
  const crowd = createCrowd(config, paths);
  const prng = createPrng(config.seed).fork("enclave");
  return createChain(
    { config, ...(refusedNonce && { refusedNonce }) },
    {
      clock: disturbedClock(clock, disturbance),
      verifier,
      prints: disturbedPrints(createPrintSource(paths, config.blockTimeMs), disturbance),
      enclave: { entropy: { bytes: (count) => Uint8Array.from({ length: count }, () => prng.below(256)) }, signerOf },
      ...(crowd && { crowd }),
    },
  );
}

function throttled(waitMs: number): Reply {
  const seconds = String(Math.ceil(waitMs / 1000));
  return refusal(429, "THROTTLED", "too many requests, wait as long as Retry-After says", { "retry-after": seconds });
}
