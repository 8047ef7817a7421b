// The load of the devnet-http bench, in a process of its own: signed transactions over keep-alive sockets, a fixed number in flight. Prints
// one JSON line with the rate and the latencies. Bodies are sealed before the clock starts, as a bot seals them in parallel to its I/O; the
// sockets are bare, so that the client costs as little as possible.

import { connect, type Socket } from "node:net";
import { accountId, nonce, price } from "../src/domain/units.ts";
import { sealEnvelope } from "../src/wire/envelope.ts";
import { createSigner } from "../src/wire/signing.ts";
import { encodeTransaction, type Transaction } from "../src/wire/transaction.ts";
import { plainOrder } from "../test/support/plain-exchange.ts";

/** The bench's options, passed in one argument. */
export type LoadOptions = {
  readonly port: number;
  readonly chainId: string;
  readonly transactions: number;
  readonly inFlight: number;
};

export type LoadResult = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly executed: number;
  readonly refused: number;
};

const MAKER = accountId(1n);
const TAKER = accountId(2n);
const TICK = 1_000_000n;
/** A round of orders: makers rest, takers cross them, and the rest is canceled, so that the book stays small. */
const ROUND = 50n;

/** Owner's key of an account: its number, 32 times. */
export const ownerOf = (account: bigint) => createSigner(new Uint8Array(32).fill(Number(account)));

function transactionAt(at: bigint): Transaction {
  const step = at % ROUND;
  if (step >= ROUND - 2n) return { type: "CancelAllOrders", marketId: 1 };
  const maker = step % 2n === 0n;
  return plainOrder({
    accountId: maker ? MAKER : TAKER,
    side: maker === (at / ROUND) % 2n > 0n ? "buy" : "sell",
    price: price((20_000n + (step % 7n)) * TICK),
  });
}

function requests({ chainId, transactions }: LoadOptions): readonly Buffer[] {
  const signers = [ownerOf(MAKER), ownerOf(TAKER)] as const;
  const nowMs = Date.now();
  return Array.from({ length: transactions }, (_, at) => {
    const transaction = transactionAt(BigInt(at));
    const body = sealEnvelope({
      chainId,
      transactionText: encodeTransaction(transaction),
      nonce: nonce(BigInt(nowMs - transactions + at)),
      timestampSec: Math.floor(nowMs / 1000),
      signer: signers[at % 2 === 0 ? 0 : 1],
    });
    return Buffer.from(
      `POST /v1/tx HTTP/1.1\r\nhost: devnet\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** Sends requests one after another over one socket; `next` returns undefined when there are no more. */
function lane(
  socket: Socket,
  next: () => Buffer | undefined,
  done: (ms: number, answer: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = "";
    let sentMs = 0;
    const send = (): void => {
      const request = next();
      if (request === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      received = "";
      sentMs = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      received += chunk;
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      if (received.length < headEnd + 4 + length) return;
      done(performance.now() - sentMs, received);
      send();
    });
    send();
  });
}

async function load(options: LoadOptions): Promise<LoadResult> {
  const bodies = requests(options);
  const latencies: number[] = [];
  let at = 0;
  let executed = 0;
  const next = (): Buffer | undefined => bodies[at++];
  const done = (ms: number, answer: string): void => {
    latencies.push(ms);
    if (answer.includes('"status":"success"')) executed += 1;
    else if (!answer.includes('"status":"failed"')) throw new Error(`a transaction was rejected: ${answer}`);
  };
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: options.inFlight }, () => lane(connect(options.port, "127.0.0.1"), next, done)),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return {
    perSecond: latencies.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    executed,
    refused: latencies.length - executed,
  };
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? "{}") as LoadOptions;
  process.stdout.write(`${JSON.stringify(await load(options))}\n`);
}
