// A devnet on loopback with its clients over real sockets, for the scenarios of this folder.

import type { WebSocket } from "ws";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSigner } from "../../src/wire/signing.ts";
import type { Transaction } from "../../src/wire/transaction.ts";
import { type Ear, hear } from "../support/ear.ts";
import { jsonBody } from "../support/operate.ts";
import {
  BOB,
  countingEntropy,
  config as manual,
  order,
  type SealOptions,
  seal,
  verifier,
} from "../unit/devnet/chain/set-up.ts";

const unexpiring = manual.accounts.map((account) => ({
  ...account,
  agents: account.agents.map((agent) => ({ ...agent, expiresAtSec: null })),
}));

/** Real clock, blocks of 20 ms, one market with a fixed index at 200 USD, Alice and Bob. */
export const config: DevnetConfig = { ...manual, clock: { mode: "real" }, blockTimeMs: 20, accounts: unexpiring };

const started: Devnet[] = [];
const sockets: WebSocket[] = [];
/** What the devnets logged since the last test. */
export const logged: string[] = [];

export async function start(of: DevnetConfig = config): Promise<Devnet> {
  const devnet = await startDevnet(of, {
    clock: systemClock,
    verifier,
    enclave: { entropy: countingEntropy(), signerOf: createSigner },
    log: (message) => logged.push(message),
  });
  started.push(devnet);
  return devnet;
}

/** Ends every devnet and client of the test. */
export async function stopAll(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all(started.splice(0).map((devnet) => devnet.close()));
  logged.length = 0;
}

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where the text is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
};

export async function ask(url: string, init: RequestInit = {}): Promise<HttpAnswer> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  const isObject = text.startsWith("{") && answer.headers.get("content-type") === "application/json";
  return { status: answer.status, headers: answer.headers, text, body: isObject ? JSON.parse(text) : {} };
}

export const list = async (url: string, init: RequestInit = {}) =>
  JSON.parse((await ask(url, init)).text) as readonly Readonly<Record<string, unknown>>[];

let lastNonce = 0n;
export function nextNonce(): bigint {
  const now = BigInt(systemClock.wallMs());
  lastNonce = now > lastNonce ? now : lastNonce + 1n;
  return lastNonce;
}

/** Signed by Alice's agent unless said otherwise. */
export const send = (devnet: Devnet, transaction: Transaction, options: SealOptions = {}): Promise<HttpAnswer> =>
  ask(`${devnet.validatorUrl}/v1/tx`, {
    method: "POST",
    body: seal(transaction, { timestampSec: Math.floor(devnet.chain.timeMs() / 1000), nonce: nextNonce(), ...options }),
  });

export const bobSells = (of: Partial<ReturnType<typeof order>> = {}) => order({ accountId: BOB, side: "sell", ...of });

/** On the control listener. */
export const control = (devnet: Devnet, method: string, path: string, body?: unknown): Promise<HttpAnswer> =>
  ask(devnet.controlUrl + path, { method, ...(body === undefined ? {} : jsonBody(body)) });

/** A stream client that is subscribed and has heard a pong. */
export const listen = (devnet: Devnet, channels: readonly unknown[]): Promise<Ear> =>
  hear(devnet.wsUrl, sockets, channels);
