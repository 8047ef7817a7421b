// A devnet on loopback under a manual clock, and the project's own client at it: every test of this folder speaks through sockets
// and signatures, and makes its own world. What is sent is answered by blocks at the same chain time; time moves when told to.

import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { type Client, type ClientOptions, createClient } from "../../src/client/client.ts";
import type { Stamp } from "../../src/client/stamps.ts";
import type { RemoteReport } from "../../src/client/stream/report.ts";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { StreamEvent, SubmitOutcome, TransactionEvent } from "../../src/domain/event.ts";
import { nonce, opposite } from "../../src/domain/units.ts";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { sealEnvelope } from "../../src/wire/envelope.ts";
import { createSigner, createVerifier, type Signer } from "../../src/wire/signing.ts";
import type { ChannelRef } from "../../src/wire/stream/client.ts";
import type { PlaceOrder } from "../../src/wire/transaction/trading.ts";
import type { Transaction } from "../../src/wire/transaction.ts";
import { type Ear, hear } from "../support/ear.ts";
import { operate } from "../support/operate.ts";
import { until } from "../support/until.ts";
import { agent, bob, bobs, order, START_MS, config as usual } from "./actors.ts";

const verifier = createVerifier();
const ROUNDS = 20;

export type Sealing = Stamp & { readonly signer: Signer; readonly chainId: string };

/** An answer as it came. `json` loses integers beyond 2^53: those are looked at in `text`. */
export type Raw = { readonly status: number; readonly json: never; readonly text: string; readonly headers: Headers };

export type World = AsyncDisposable & {
  /** Its addresses. The chain inside is out of reach: what a test cannot see from outside, no user can. */
  readonly devnet: Omit<Devnet, "chain" | "close">;
  /** Nobody's: no credential. */
  readonly client: Client;
  /** Another client of the same exchange. */
  readonly clientWith: (options: Partial<ClientOptions>) => Client;
  /** Makes blocks at the present chain time until `sent` is answered. */
  readonly answered: <T>(sent: Promise<T>) => Promise<T>;
  /** Signs and submits, by Alice's agent unless said otherwise. */
  readonly submit: (transaction: Transaction, signer?: Signer, stamp?: Partial<Stamp>) => Promise<SubmitOutcome>;
  /** The same, and it must execute. */
  readonly run: (transaction: Transaction, signer?: Signer) => Promise<readonly TransactionEvent[]>;
  /** Chain time, ms. */
  readonly nowMs: () => number;
  readonly advance: (ms: number) => Promise<void>;
  /** A request on the control listener, whatever comes of it. */
  readonly ask: (method: "GET" | "POST" | "PATCH", path: string, body?: unknown) => Promise<Raw>;
  /** The same, and it must pass. */
  readonly control: (method: "POST" | "PATCH", path: string, body: unknown) => Promise<void>;
  readonly get: (
    path: string,
    options?: { readonly rest?: true; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<Raw>;
  /** A raw body to POST /v1/tx. */
  readonly post: (body: string) => Promise<Raw>;
  /** The same around any text in the transaction's place, signed by Alice's agent and well in all else, unless said otherwise. */
  readonly postText: (transactionText: string, of?: Partial<Sealing>) => Promise<Raw>;
  /** Several of these in one block, in the order in which they arrive; gives the block's height beside the answers. */
  readonly together: (
    requests: readonly ({ readonly text: string } & Partial<Sealing>)[],
  ) => Promise<{ readonly answers: readonly Raw[]; readonly height: number }>;
  /** Raw frames of channels. */
  readonly hear: (channels: readonly unknown[]) => Promise<Ear>;
  /** Events of channels as the client understands them. */
  readonly follow: (channels: readonly ChannelRef[]) => Promise<Following>;
  /** What the clients reported of their troubles. */
  readonly reports: readonly RemoteReport[];
};

export type Following = {
  readonly events: readonly StreamEvent[];
  readonly of: <K extends StreamEvent["kind"]>(kind: K) => readonly Extract<StreamEvent, { kind: K }>[];
  readonly blocks: readonly unknown[];
  readonly stream: ReturnType<Client["stream"]>;
  readonly settled: () => Promise<void>;
};

/** A test that is given a world of the usual configuration. */
// biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern here, even of a fixture that needs no other.
export const it = test.extend("world", async ({}, { onCleanup }): Promise<World> => {
  const world = await openWorld();
  onCleanup(() => world[Symbol.asyncDispose]());
  return world;
});

/** With `clock: { mode: "real" }` blocks come by themselves, and `advance` is not for use. */
export async function openWorld(of: Partial<DevnetConfig> = {}): Promise<World> {
  const config: DevnetConfig = { ...usual, ...of };
  let seeds = 100;
  const entropy = { bytes: (count: number) => new Uint8Array(count).fill(++seeds) };
  const enclave = { entropy, signerOf: createSigner };
  const devnet = await startDevnet(config, { clock: systemClock, verifier, enclave, log: () => undefined });
  const isReal = config.clock.mode === "real";
  let chainMs = START_MS;
  const nowMs = () => (isReal ? systemClock.wallMs() : chainMs);
  const clock: Clock = { ...systemClock, wallMs: nowMs };
  const clients: Client[] = [];
  const sockets: WebSocket[] = [];
  const reports: RemoteReport[] = [];

  function clientWith(options: Partial<ClientOptions>): Client {
    const { validatorUrl, restUrl } = devnet;
    const client = createClient(
      { chainId: config.chainId, validatorUrl, restUrl, credential: null, unshownPayloads: "devnet", ...options },
      { clock, prng: createPrng(1n), report: (report) => reports.push(report) },
    );
    clients.push(client);
    return client;
  }

  const ask: World["ask"] = async (method, path, body) => await rawOf(await operate(devnet, method, path, body));

  async function control(method: "POST" | "PATCH", path: string, body: unknown): Promise<Raw> {
    const raw = await ask(method, path, body);
    expect(raw).toMatchObject({ status: 200 });
    return raw;
  }

  async function advance(advanceMs: number): Promise<void> {
    const { json } = await control("POST", "/clock", { advanceMs });
    chainMs = (json as { timeMs: number }).timeMs;
  }

  async function answered<T>(sent: Promise<T>): Promise<T> {
    if (isReal) return await sent;
    let settled = false;
    const watched = sent.finally(() => {
      settled = true;
    });
    watched.catch(() => undefined);
    while (!settled) await advance(0);
    return await watched;
  }

  const client = clientWith({});
  const handIn = (body: string) => fetch(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body }).then(rawOf);
  const post = (body: string) => answered(handIn(body));

  let texts = 0;
  function sealed(transactionText: string, of: Partial<Sealing>): string {
    texts += 1;
    const stamp = { nonce: nonce(BigInt(nowMs() + 1000 + texts)), timestampSec: Math.floor(nowMs() / 1000) };
    return sealEnvelope({ chainId: config.chainId, signer: agent, ...stamp, ...of, transactionText });
  }

  const together: World["together"] = async (requests) => {
    const sent = Promise.all(requests.map(({ text, ...of }) => handIn(sealed(text, of))));
    // Each goes to the same process and back, so that what was handed in before has long arrived.
    for (let round = 0; round < ROUNDS; round += 1) await fetch(`${devnet.validatorUrl}/v1/node/info`).then(rawOf);
    await advance(0);
    const { blockHeight: height } = await client.exchange.node();
    return { answers: await answered(sent), height };
  };

  const submit = (transaction: Transaction, signer: Signer = agent, stamp: Partial<Stamp> = {}) =>
    answered(client.submit(transaction, signer, stamp));

  async function follow(channels: readonly ChannelRef[]): Promise<Following> {
    const events: StreamEvent[] = [];
    const blocks: unknown[] = [];
    const stream = client.stream(channels, {
      onEvent: (event) => events.push(event),
      onBlock: (block) => blocks.push(block),
    });
    const of: Following["of"] = (kind) => events.filter((event) => event.kind === kind) as never;
    const settled = async () => {
      const before = of("pong").length;
      stream.ping();
      await until("a pong", () => of("pong").length > before);
    };
    await until("the stream", () => of("pong").length > 0);
    return { events, of, blocks, stream, settled };
  }

  return {
    devnet,
    client,
    clientWith,
    answered,
    submit,
    run: async (transaction, signer) => executed(await submit(transaction, signer)),
    nowMs,
    advance,
    ask,
    control: async (method, path, body) => {
      await control(method, path, body);
    },
    async get(path, { rest, headers = {} } = {}) {
      return await rawOf(await fetch((rest ? devnet.restUrl : devnet.validatorUrl) + path, { headers }));
    },
    post,
    together,
    postText: (transactionText, sealing = {}) => post(sealed(transactionText, sealing)),
    hear: (channels) => hear(devnet.wsUrl, sockets, channels),
    follow,
    reports,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      for (const each of clients) each.close();
      await devnet.close();
    },
  };
}

async function rawOf(answer: Response): Promise<Raw> {
  const text = await answer.text();
  const { status, headers } = answer;
  const isJson = headers.get("content-type")?.startsWith("application/json");
  return { status, headers, text, json: (isJson ? JSON.parse(text) : undefined) as never };
}

/** The events of a transaction that must have executed. */
export function executed(outcome: SubmitOutcome): readonly TransactionEvent[] {
  if (outcome.kind !== "executed") throw new Error(`not executed: ${JSON.stringify(outcome)}`);
  return outcome.events;
}

/** The events of one type. */
export const eventsOf = <T extends TransactionEvent["type"]>(events: readonly TransactionEvent[], type: T) =>
  events.filter((event) => event.type === type) as Extract<TransactionEvent, { type: T }>[];

/** The id of the order that the transaction placed. */
export function placedId(events: readonly TransactionEvent[]) {
  const [placed] = eventsOf(events, "orderPlaced");
  if (placed === undefined) throw new Error("no order was placed");
  return placed.orderId;
}

/** Bob rests the other side and Alice's agent takes it, whole. */
export async function trade(
  world: World,
  of: Pick<PlaceOrder, "side" | "price" | "size"> & Partial<Pick<PlaceOrder, "leverage">>,
): Promise<void> {
  const { side, price, size } = of;
  await world.run(bobs({ price, size, side: opposite(side) }), bob);
  await world.run(order(of));
}
