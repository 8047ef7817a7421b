// The exchange called directly: transactions per second passed as values, against the same transactions sealed, posted, parsed, verified
// and answered as text without a socket, as simulations do. Signatures are keyed hashes, and time is processor time.

import { createExchange, type Exchange } from "../src/devnet/exchange.ts";
import { accountId, nonce, orderId, price, size, usdc } from "../src/domain/units.ts";
import { createVirtualClock } from "../src/kernel/virtual-clock.ts";
import { sealEnvelope } from "../src/wire/envelope.ts";
import { keyedHashSigner, keyedHashVerifier } from "../src/wire/signing-simulated.ts";
import { encodeTransaction, type Transaction } from "../src/wire/transaction.ts";
import { plainAccount, plainExchange, plainOrder } from "../test/support/plain-exchange.ts";
import { type Bench, median } from "./measure.ts";

const TRANSACTIONS = 100_000;
const PER_BLOCK = 100;
const START_MS = 1_790_000_000_000;
const ACCOUNT = accountId(12n);
const signer = keyedHashSigner(Uint8Array.of(1));
/** Each order is placed, moved this often, and canceled. */
const MOVES = 3;

const config = plainExchange({
  accounts: [plainAccount({ accountId: ACCOUNT, owner: signer.publicKey, collateral: usdc(10n ** 15n) })],
});

/** The exchange numbers its orders from 1. */
function transactionOf(at: number): Transaction {
  const nth = Math.floor(at / (MOVES + 2));
  const step = at % (MOVES + 2);
  const id = orderId(BigInt(nth + 1));
  const newPrice = price(BigInt(19_900 - ((nth + step) % 100)) * 1_000_000n);
  if (step === 0) return plainOrder({ accountId: ACCOUNT, price: newPrice, postOnly: true });
  if (step > MOVES) return { type: "CancelOrder", orderId: id };
  return { type: "ModifyOrder", orderId: id, newPrice, newSize: size(BigInt(step) * 1_000_000n) };
}

/** Without anything that only an explorer would read, as in a backtest. */
function open() {
  const clock = createVirtualClock({ startMs: START_MS });
  const enclave = { entropy: { bytes: (count: number) => new Uint8Array(count) }, signerOf: keyedHashSigner };
  const modules = { clock, verifier: keyedHashVerifier, enclave, log: () => {} };
  const exchange = createExchange({ config, isExplored: false }, modules);
  exchange.chain.start();
  return { clock, exchange };
}

/** Returns whether it executed. */
type Carry = (exchange: Exchange, sent: Sent) => boolean | Promise<boolean>;
type Sent = Parameters<Exchange["chain"]["transact"]>[0];

const noLater = (): void => {
  throw new Error("the answer was to come at once");
};

const call: Carry = ({ chain }, sent) => chain.transact(sent, noLater)?.kind === "executed";

const post: Carry = async ({ validator }, sent) => {
  const found = validator.find("POST", "/v1/tx");
  if ("status" in found) return false;
  const body = Buffer.from(sent.body());
  const { text } = await validator.handle(found.route, { ...found.head, header: () => undefined, body });
  return text.startsWith('{"status":"success"');
};

/** Transactions per second of processor time. */
async function rateOf(all: readonly Transaction[], carry: Carry): Promise<number> {
  const { clock, exchange } = open();
  const before = process.cpuUsage();
  for (const [at, transaction] of all.entries()) {
    if (at % PER_BLOCK === 0) clock.advanceSync(config.blockTimeMs);
    const timestampSec = Math.floor(clock.wallMs() / 1000);
    const stamp = { chainId: config.chainId, nonce: nonce(BigInt(START_MS + at)), timestampSec };
    const body = () => sealEnvelope({ ...stamp, signer, transactionText: encodeTransaction(transaction) });
    const isExecuted = await carry(exchange, { ...stamp, transaction, signer: signer.publicKey, body });
    if (!isExecuted) throw new Error(`transaction ${at} was not executed`);
  }
  const { user, system } = process.cpuUsage(before);
  await exchange.close();
  return (all.length / (user + system)) * 1_000_000;
}

export const directExchange: Bench = {
  name: "direct-exchange",
  async run({ quick }) {
    const [runs, count] = quick ? [1, TRANSACTIONS / 10] : [5, TRANSACTIONS];
    const all = Array.from({ length: count }, (_, at) => transactionOf(at));
    const [called, posted]: [number[], number[]] = [[], []];
    // The first round includes compilation.
    for (let round = 0; round <= runs; round += 1) {
      const rates = [await rateOf(all, call), await rateOf(all, post)] as const;
      if (round === 0) continue;
      called.push(rates[0]);
      posted.push(rates[1]);
    }
    const [value, referenceValue] = [median(called), median(posted)];
    return {
      name: "direct-exchange",
      value,
      unit: "tx/s",
      reference: "the same as text",
      referenceValue,
      ratio: value / referenceValue,
    };
  },
};
