// Runs one sequence against an exchange over real sockets and compares: every answer with the frames of its block, every frame with the
// books, and at quiet points the exchange's reads with the books.

import { once } from "node:events";
import { WebSocket } from "ws";
import { startDevnet } from "../../../src/devnet/devnet.ts";
import { nonce } from "../../../src/domain/units.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { sealEnvelope } from "../../../src/wire/envelope.ts";
import { createSigner, createVerifier } from "../../../src/wire/signing.ts";
import { encodeTransaction, type Transaction } from "../../../src/wire/transaction.ts";
import { type Act, drawAct, marketOrderOf } from "./acts.ts";
import {
  absolute,
  accountOf,
  checkCap,
  entered,
  type Fill,
  filled,
  forgiveFlat,
  freeOf,
  funded,
  heldIn,
  hold,
  LawBroken,
  marketOf,
  type OpenOrder,
  openBooks,
  orderIn,
  placed,
  replaced,
  requirementOf,
  stateOf,
  type Terms,
} from "./books.ts";
import { checkHistories, checkState } from "./laws.ts";
import { type Answer, type Line, openLine } from "./line.ts";
import { BACKSTOP, CHAIN_ID, config, holders, marketsOfScene, prober, START_MS } from "./scene.ts";

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

type Sent = { readonly act: Extract<Act, { kind: "transaction" }>; readonly answer: Promise<Answer> };

type Executed = {
  readonly status: string;
  readonly hash: string;
  readonly error?: string;
  readonly events: readonly Frame[];
};

export type Broken = { readonly law: string; readonly detail: string; readonly at: number };

export type Tally = {
  acts: number;
  transactions: number;
  executed: number;
  fills: number;
  liquidations: number;
  blocks: number;
};

const ACTS = 300;
/** Rounding may take free margin this much below zero: one unit per fill, and one each for value, margin and loss. */
const ROUNDING = 4n;

/** Null when every law held. `kept`: which acts of the sequence are carried out. */
export async function auditSequence(
  seed: number,
  kept: readonly number[] = allActs,
  tally: Tally = newTally(),
  log?: (line: string) => void,
): Promise<Broken | null> {
  const audit = await openAudit(tally, log);
  let at = 0;
  try {
    for (at of kept) {
      const prng = createPrng(BigInt(seed)).fork(`act ${at}`);
      await audit.carryOut(prng, at / ACTS);
    }
    await audit.end();
    return null;
  } catch (thrown) {
    if (!(thrown instanceof LawBroken)) throw thrown;
    return { law: thrown.law, detail: thrown.message, at };
  } finally {
    await audit.close();
  }
}

export const allActs: readonly number[] = Array.from({ length: ACTS }, (_, at) => at);
export const newTally = (): Tally => ({ acts: 0, transactions: 0, executed: 0, fills: 0, liquidations: 0, blocks: 0 });

async function openAudit(tally: Tally, log?: (line: string) => void) {
  const verifier = createVerifier();
  const enclave = { entropy: { bytes: (count: number) => new Uint8Array(count).fill(9) }, signerOf: createSigner };
  const devnet = await startDevnet(config, { clock: systemClock, verifier, enclave, log: () => undefined });
  const [validator, rest, control] = (await Promise.all(
    [devnet.validatorUrl, devnet.restUrl, devnet.controlUrl].map(openLine),
  )) as [Line, Line, Line];
  const ear = await listen(devnet.wsUrl);
  const books = openBooks();
  const withdrawals = new Map<string, number>();
  let nowMs = START_MS;
  let lastNonce = BigInt(START_MS);
  let height = 0;
  let pending: Sent[] = [];

  function send(act: Extract<Act, { kind: "transaction" }>): void {
    lastNonce = lastNonce + 1n > BigInt(nowMs) ? lastNonce + 1n : BigInt(nowMs);
    const body = sealEnvelope({
      chainId: CHAIN_ID,
      transactionText: encodeTransaction(act.transaction),
      signer: act.signer,
      nonce: nonce(lastNonce),
      timestampSec: Math.floor(nowMs / 1000),
    });
    tally.transactions += 1;
    pending.push({ act, answer: validator.ask("POST", "/v1/tx", body) });
  }

  /** Makes a block of what was sent and takes its reports. `begun` sees the books as the first of its transactions meets them. */
  async function makeBlock(advanceMs = 0, begun?: () => void): Promise<readonly Executed[]> {
    const sent = pending;
    pending = [];
    // The clock waits until bodies are read that have reached the exchange. A round trip gives a busy machine time to deliver them.
    if (sent.length > 0) await rest.ask("GET", "/v1/fee-tiers");
    const made = await control.ask("POST", "/clock", JSON.stringify({ advanceMs }));
    hold("the clock moves", made.status === 200, () => made.text);
    const clock = JSON.parse(made.text) as { height: number; timeMs: number };
    nowMs = clock.timeMs;
    height = clock.height;
    tally.blocks += 1;
    const answers = await Promise.all(sent.map(({ answer }) => answer));
    const frames = await ear.until(height);
    const executed = sent.map(({ act }, at) => ({ act, executed: executedOf(answers[at], act.isForeign) }));
    takeIn(frames, executed, begun);
    return executed.map((each) => each.executed);
  }

  function takeIn(
    frames: readonly Frame[],
    sent: readonly { act: Sent["act"]; executed: Executed }[],
    begun?: () => void,
  ): void {
    const told = withoutEchoes(frames);
    const own = sent.flatMap(({ executed }) => executed.events.filter(isTold)).length;
    const before = told.slice(0, told.length - own);
    hold("frames tell all that answers tell", told.length >= own, () => `${told.length} frames, ${own} events`);
    takeFrames(before);
    forgiveFlat(books);
    begun?.();
    let next = before.length;
    for (const { act, executed } of sent) {
      const events = executed.events.filter(isTold);
      const group = told.slice(next, next + events.length);
      next += events.length;
      for (const [at, event] of events.entries()) {
        const frame = group[at];
        hold(
          "channels tell what the answer tells, in its order",
          frame !== undefined && isSame(event, frame),
          () => `${JSON.stringify(event)} is not ${JSON.stringify(frame)}`,
        );
        if (event.type === "Fill")
          hold("an answer's fills have its hash", event.tx_hash === executed.hash, () => JSON.stringify(event));
      }
      log?.(`${JSON.stringify(act.transaction, replaced)} -> ${executed.status} ${executed.error ?? ""}`);
      takeTransaction(act, executed, group);
    }
  }

  function takeTransaction(act: Sent["act"], executed: Executed, frames: readonly Frame[]): void {
    if (executed.status !== "success") return;
    tally.executed += 1;
    const account = accountOf(books, act.account);
    const before = requirementOf(books, account, false);
    const { transaction } = act;
    const changed = transaction.type === "ModifyOrder" ? books.orders.get(Number(transaction.orderId)) : undefined;
    const first = frames.find(({ type }) => type === "orderPlaced");
    const firstId = first?.order_id as number | undefined;
    const terms =
      transaction.type === "PlaceOrder" && firstId !== undefined && act.terms
        ? new Map([[firstId, act.terms]])
        : undefined;
    const grown = takeFrames(frames, terms);
    money(transaction, executed.events, act.account);
    const asks =
      requirementOf(books, account, false) > before ||
      transaction.type === "Transfer" ||
      transaction.type === "RequestWithdrawal" ||
      (transaction.type === "AdjustIsolatedMargin" && transaction.delta > 0n);
    const isReduced = terms?.get(firstId ?? 0)?.reduceOnly || changed?.terms.reduceOnly;
    if (asks && !isReduced)
      checkFree(act.account, "an action of the account's own leaves its initial margin", frames.length);
    for (const id of grown) checkFree(id, "a fill that adds leaves its initial margin", frames.length);
  }

  function checkFree(id: number, law: string, slack: number): void {
    if (id === BACKSTOP) return;
    const account = accountOf(books, id);
    // What an isolated bucket lent or lost is known only at quiet points.
    if ([...account.held.values()].some(({ isIsolated, units }) => isIsolated && units !== 0n)) return;
    const free = freeOf(books, account);
    hold(law, free >= -ROUNDING - BigInt(slack), () => `account ${id} has ${free} free: ${stateOf(books, account)}`);
  }

  function money(transaction: Transaction, events: readonly Frame[], account: number): void {
    if (transaction.type === "Transfer") {
      moved(Number(transaction.fromAccountId), -transaction.amount);
      moved(Number(transaction.toAccountId), transaction.amount);
    }
    if (transaction.type === "RequestWithdrawal") {
      moved(account, -transaction.amount);
      const id = events.map((event) => event.withdrawal_id ?? event.withdrawalId).find((each) => each !== undefined);
      hold("a withdrawal has an id", id !== undefined, () => JSON.stringify(events));
      withdrawals.set(String(id), account);
      withdrawn.set(String(id), transaction.amount);
    }
    if (transaction.type === "CancelWithdrawal") {
      moved(account, withdrawn.get(String(transaction.withdrawalId)) ?? 0n);
      withdrawals.delete(String(transaction.withdrawalId));
    }
    if (transaction.type === "AdjustIsolatedMargin") {
      const of = accountOf(books, account);
      of.cross -= transaction.delta;
      heldIn(of, transaction.marketId).bucket += transaction.delta;
    }
  }
  const withdrawn = new Map<string, bigint>();

  function moved(id: number, amount: bigint): void {
    const account = accountOf(books, id);
    account.told += amount;
    account.cross += amount;
  }

  /** Takes frames into the books, in their order; returns whose positions grew. */
  function takeFrames(frames: readonly Frame[], terms?: ReadonlyMap<number, Terms>): ReadonlySet<number> {
    const grown = new Set<number>();
    for (const frame of frames) takeFrame(frame, grown, terms);
    checkCap(books);
    return grown;
  }

  function takeFrame(frame: Frame, grown: Set<number>, terms?: ReadonlyMap<number, Terms>): void {
    const id = frame.order_id as number;
    switch (frame.type) {
      case "orderPlaced": {
        placed(books, frame as never, terms?.get(id));
        break;
      }
      case "orderModified": {
        const order = orderIn(books, id, frame.type);
        order.price = BigInt(frame.price as string);
        order.size = BigInt(frame.size as string);
        hold("an open order has something open", order.filled < order.size, () => JSON.stringify(frame));
        break;
      }
      case "orderCanceled":
        orderIn(books, id, frame.type);
        books.orders.delete(id);
        break;
      case "orderTriggered": {
        const order = orderIn(books, id, frame.type);
        hold("what triggers has waited", order.waits, () => JSON.stringify(frame));
        // A market stop that the book cannot fill waits on; it rests in no case.
        if (order.price > 0n) order.waits = false;
        entered(books, order);
        break;
      }
      case "fill": {
        const fill = frame as never as Fill;
        const sizes = [fill.taker_account_id, fill.maker_account_id].map(
          (each) => [each, absolute(heldIn(accountOf(books, each), fill.market_id).units)] as const,
        );
        filled(books, fill);
        tally.fills += 1;
        for (const [each, before] of sizes)
          if (absolute(heldIn(accountOf(books, each), fill.market_id).units) > before) grown.add(each);
        break;
      }
      case "fundingUpdate":
        funded(
          books,
          frame.market_id as number,
          BigInt(frame.funding_rate as string),
          frame.last_funding_timestamp as number,
        );
        break;
      case "oraclePriceUpdate": {
        const market = marketOf(books, frame.market_id as number);
        hold("a print follows the one before it", String(market.oracle) === frame.previous_price, () =>
          JSON.stringify(frame),
        );
        market.oracle = BigInt(frame.price as string);
        break;
      }
      case "liquidation": {
        tally.liquidations += 1;
        const account = accountOf(books, frame.account_id as number);
        const left = [...account.held.values()].filter(({ units }) => units !== 0n).length;
        hold(
          "a liquidation tells how many positions are left",
          left === frame.positions_remaining,
          () => `${JSON.stringify(frame)}, ${left} by fills`,
        );
        break;
      }
      default:
        throw new LawBroken("frames are known", JSON.stringify(frame));
    }
  }

  async function operate({ method, path, body }: Extract<Act, { kind: "control" }>): Promise<void> {
    const [, kind, id = "0", what] = path.split("/");
    const answer = await control.ask(method, path, JSON.stringify(body));
    log?.(`${method} ${path} ${JSON.stringify(body)} -> ${answer.status}`);
    if (answer.status !== 200) {
      hold("the operator is answered", answer.status < 500, () => answer.text);
      return;
    }
    if (kind === "markets") marketOf(books, Number(id)).status = (body as { status: string }).status;
    if (what === "deposit") moved(Number(id), BigInt((body as { usdc: string }).usdc) * 1_000_000n);
  }

  async function look(): Promise<void> {
    await makeBlock();
    await checkState(books, { validator, frames: ear.books });
  }

  /** Takes one side of a market's book inside the price band, and checks that everything fills that its accounts can carry. */
  async function probe(id: number, takerBuys: boolean): Promise<void> {
    const whole = inReach(id, takerBuys).reduce((sum, { size, filled }) => sum + size - filled, 0n);
    if (whole === 0n) return;
    send(marketOrderOf(id, takerBuys, whole * 2n));
    let able: readonly { readonly order: OpenOrder; readonly open: bigint }[] = [];
    // Stops triggered at the start of the block may rest before others, and reduce-only orders make room for better placed ones.
    const [executed] = await makeBlock(0, () => {
      const shown = inReach(id, takerBuys);
      able = shown
        .filter((order) => isAble(order.account) && !isShared(order, shown))
        .map((order) => ({ order, open: order.size - order.filled }));
    });
    // A closed market, or one full of open interest, refuses it; where all of it fills, it may not have reached the last of them.
    const isWide = executed?.events.some(({ type, reason }) => type === "OrderCanceled" && reason === "IocRemainder");
    if (!isWide) return;
    for (const { order, open } of able) {
      const left = order.size - order.filled;
      hold(
        "the book shows what can fill",
        left === 0n,
        () =>
          `market ${id}: order ${order.id} of account ${order.account} has ${left} of ${open} left: ${stateOf(books, accountOf(books, order.account))}`,
      );
    }
  }

  /** Orders that rest on one side of a market, inside the price band. */
  function inReach(id: number, takerBuys: boolean): readonly OpenOrder[] {
    const { oracle } = marketOf(books, id);
    const edge = takerBuys ? (oracle * 11n) / 10n : (oracle * 9n + 9n) / 10n;
    return [...books.orders.values()].filter(
      ({ market, waits, price, buys }) =>
        market === id && !waits && price > 0n && buys !== takerBuys && (takerBuys ? price <= edge : price >= edge),
    );
  }

  /** A reduce-only order shares its position with others of its side: either may fill first, and no margin is reserved for both. */
  const isShared = ({ terms, account }: OpenOrder, shown: readonly OpenOrder[]): boolean =>
    shown.some((other) => other.account === account && other.terms.reduceOnly !== terms.reduceOnly);

  /** Its margin suffices, and no bucket that is known only at quiet points is part of it. */
  function isAble(id: number): boolean {
    const account = accountOf(books, id);
    return freeOf(books, account) >= 0n && [...account.held.values()].every(({ isIsolated }) => !isIsolated);
  }

  return {
    async carryOut(prng: ReturnType<typeof createPrng>, progress: number): Promise<void> {
      const act = drawAct({ prng, books, nowMs, withdrawals, progress });
      tally.acts += 1;
      if (act.kind === "transaction") {
        send(act);
        if (prng.chance(0.15)) await makeBlock();
        return;
      }
      if (act.kind === "look") return await look();
      if (pending.length > 0) await makeBlock();
      if (act.kind === "time") await makeBlock(act.ms);
      if (act.kind === "control") await operate(act);
    },
    async end(): Promise<void> {
      await look();
      for (const { id } of marketsOfScene) {
        for (const buys of [true, false]) await probe(id, buys);
      }
      await look();
      for (const { id } of marketsOfScene) {
        if (marketOf(books, id).status !== "Settled")
          await operate({ kind: "control", method: "PATCH", path: `/markets/${id}`, body: { status: "Settled" } });
      }
      await look();
      for (const account of books.accounts.values()) {
        for (const held of account.held.values())
          hold("settlement leaves nobody a position", held.units === 0n, () => `account ${account.id}: ${held.units}`);
      }
      hold("settlement leaves no order", books.orders.size === 0, () => [...books.orders.keys()].join());
      await checkHistories(books, rest);
    },
    async close(): Promise<void> {
      for (const each of pending) each.answer.catch(() => undefined);
      ear.close();
      for (const line of [validator, rest, control]) line.close();
      await devnet.close();
    },
  };
}

function executedOf(answer: Answer | undefined, isForeign: boolean): Executed {
  if (isForeign && answer?.status === 400) return { status: "rejected", hash: "", events: [] };
  hold("a transaction in order is executed", answer?.status === 200, () => `${answer?.status} ${answer?.text}`);
  const executed = JSON.parse(answer?.text ?? "") as Executed;
  const isRight =
    executed.status === "success" ||
    (executed.status === "failed" && executed.events.length === 0 && executed.error !== undefined);
  hold("an answer is success, or failed without events", isRight, () => answer?.text ?? "");
  return executed;
}

/** Events of answers that channels report too, by their frames' names. */
const frameOf: Readonly<Record<string, string>> = {
  Fill: "fill",
  OrderPlaced: "orderPlaced",
  OrderModified: "orderModified",
  OrderCanceled: "orderCanceled",
  OrderTriggered: "orderTriggered",
  Liquidation: "liquidation",
};

const isTold = ({ type }: Frame): boolean => type in frameOf;

function isSame(event: Frame, frame: Frame): boolean {
  if (frameOf[event.type] !== frame.type) return false;
  return Object.entries(frame).every(([key, value]) => key === "type" || String(event[key] ?? value) === String(value));
}

/** A fill comes thrice: as a trade, and to both accounts. */
function withoutEchoes(frames: readonly Frame[]): readonly Frame[] {
  const told: Frame[] = [];
  for (let at = 0; at < frames.length; at += 1) {
    const frame = frames[at] as Frame;
    if (frame.type === "blockFinalized") continue;
    if (frame.type === "fill") {
      const [one, other] = [frames[at + 1], frames[at + 2]];
      const isTrade =
        frame.timestamp === undefined && Object.entries(frame).every(([key, value]) => one?.[key] === value);
      const isTwice = JSON.stringify(one) === JSON.stringify(other) && one?.timestamp !== undefined;
      hold("a fill is told as a trade and to both accounts", isTrade && isTwice, () =>
        JSON.stringify([frame, one, other]),
      );
      told.push(one as Frame);
      at += 2;
    } else told.push(frame);
  }
  return told;
}

async function listen(wsUrl: string) {
  const socket = new WebSocket(wsUrl, { perMessageDeflate: false });
  let frames: Frame[] = [];
  const books = new Map<number, string>();
  let height = 0;
  let pongs = 0;
  let heard: () => void = () => undefined;
  socket.on("message", (bytes: Buffer) => {
    const text = bytes.toString();
    if (text.startsWith('{"type":"orderbookSnapshot"')) {
      books.set((JSON.parse(text) as { market_id: number }).market_id, text);
      return;
    }
    const frame = JSON.parse(text) as Frame;
    if (frame.type === "pong") pongs += 1;
    else frames.push(frame);
    if (frame.type === "blockFinalized") height = frame.height as number;
    if (frame.type === "blockFinalized" || frame.type === "pong") heard();
  });
  await once(socket, "open");
  const channels = [
    { channel: "explorer" },
    ...marketsOfScene.flatMap(({ id }) =>
      ["orderbook", "trades", "funding", "oracleUpdates"].map((channel) => ({ channel, market_id: id })),
    ),
    ...[...holders.map(({ id }) => id), prober.id, BACKSTOP].flatMap((id) =>
      ["fills", "orders", "liquidations"].map((channel) => ({ channel, account_id: id })),
    ),
  ];
  socket.send(JSON.stringify({ type: "subscribe", channels }));
  socket.send('{"type":"ping"}');
  await waitFor(() => pongs > 0);

  async function waitFor(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new LawBroken("the stream follows the chain", `no frame for 10 s at height ${height}`)),
          10_000,
        );
        heard = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }

  return {
    books,
    /** All frames up to the end of the block of that height. */
    async until(wanted: number): Promise<readonly Frame[]> {
      await waitFor(() => height >= wanted);
      const taken = frames;
      frames = [];
      return taken;
    },
    close: () => socket.terminate(),
  };
}
