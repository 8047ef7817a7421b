// The devnet's exchange behind a simulated network: requests and connections without sockets, and nodes that lag.

import { ForeignSpeech } from "../devnet/api/faults/foreign-words.ts";
import { replyTo } from "../devnet/api/http/host.ts";
import type { Reply } from "../devnet/api/http/reply.ts";
import type { Sent } from "../devnet/api/stream/frames.ts";
import type { Connection } from "../devnet/api/stream/stream.ts";
import { createExchange, type Exchange, type ExchangeModules, type ExchangeOptions } from "../devnet/exchange.ts";
import { createPrng } from "../kernel/prng.ts";
import type { Signer } from "../wire/signing.ts";
import { ChainWords } from "./chain-words.ts";
import { type Lag, PastReads } from "./past-reads.ts";

export type SimulatedExchangeModules = Pick<ExchangeModules, "clock" | "verifier" | "log"> & {
  readonly signerOf: (seed: Uint8Array) => Signer;
};

export type SimulatedExchangeOptions = Pick<ExchangeOptions, "config"> & {
  /** Skips everything that only an explorer or a history index would read. */
  readonly shortcuts?: boolean;
};

export type HttpCall = { readonly method: string; readonly path: string; readonly body: string | null };

/** The exchange's end of one stream connection. */
export type StreamEnd = { readonly received: (text: string) => void; readonly closed: () => void };

export type SimulatedExchange = Pick<Exchange, "chain" | "act" | "close"> & {
  /** As in its options; then values travel without text where possible, and witnesses see nothing. */
  readonly shortcuts: boolean;
  /** One request from an address (default: the bot's), answered as the validator's listener would. Never rejects. */
  readonly request: (call: HttpCall, client?: string) => Promise<Reply>;
  /** Makes a node lag, or none (null): reads are answered as of some blocks ago. */
  readonly lag: (lag: Lag | null) => void;
  /** A client connects; `send` and `drop` are its side of the connection. */
  readonly connect: (send: (frame: Sent) => void, drop: () => void) => StreamEnd;
  /** The height and time that it reports. */
  readonly words: ChainWords;
  /** Wording of the answers and frames to the bot; witnesses read the devnet's own wording. */
  readonly speech: ForeignSpeech;
  /** Another client at our address uses one request of its rate limit. */
  readonly crowdOut: () => void;
  /** Whether a new subscriber to a book gets the previous snapshot instead of the current one. */
  readonly staleSnapshots: (on: boolean) => void;
};

const CLIENT = "127.0.0.1";

export function createSimulatedExchange(
  { config, shortcuts = false }: SimulatedExchangeOptions,
  { clock, verifier, log, signerOf }: SimulatedExchangeModules,
): SimulatedExchange {
  const prng = createPrng(config.seed).fork("enclave");
  const entropy = { bytes: (count: number) => Uint8Array.from({ length: count }, () => prng.below(256)) };
  const exchange = createExchange(
    { config, isExplored: !shortcuts },
    { clock, verifier, log, enclave: { entropy, signerOf } },
  );
  const { chain, validator, stream, faults } = exchange;
  const past = new PastReads();
  const words = new ChainWords();
  if (!shortcuts)
    chain.onBlock(() => void past.keep((path) => replyTo(validator, { method: "GET", path, body: null })));
  chain.start();

  return {
    shortcuts,
    chain,
    act: exchange.act,
    close: exchange.close,
    async request(call, client = CLIENT) {
      const throttled = validator.takeRate(client);
      if (throttled !== undefined) return throttled;
      const before = call.method === "GET" ? past.answer(call.path) : undefined;
      const reply = before ?? (await replyTo(validator, call));
      return shortcuts ? reply : words.reply(call.path, reply);
    },
    lag(lag) {
      past.lag = lag;
    },
    connect(send, drop) {
      const connection: Connection = { send: (frame) => send(words.frame(frame)), mute: () => {}, drop };
      stream.opened(connection);
      return { received: (text) => stream.received(connection, text), closed: () => stream.closed(connection) };
    },
    words,
    speech: new ForeignSpeech(),
    crowdOut: () => void validator.takeRate(CLIENT),
    staleSnapshots(on) {
      faults.removeAll();
      if (on) faults.add({ kind: "staleSnapshot", channel: null, count: null, probability: 1, forMs: null });
    },
  };
}
