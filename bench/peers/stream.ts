// A recorded session as the peers read it: a file of events per market, and the session's own orders. Every happening of the session is one
// millisecond after the one before, so that all see one order of events, and the time of a predicted fill names its happening.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventDescr, eventsOf } from "../../src/backtest/recorded/hftbacktest.ts";
import { writeNpz } from "../../src/backtest/recorded/npz.ts";
import {
  type Happened,
  type OwnOrder,
  type Recording,
  replaySession,
  type Session,
  type SessionMarket,
} from "../../src/backtest/recorded/session.ts";
import { feeTierFor } from "../../src/domain/fees.ts";
import type { FeeTier } from "../../src/domain/market.ts";
import { PRICE_SCALE, type Price, SIZE_SCALE, usdc } from "../../src/domain/units.ts";
import { writeOutput } from "../../src/kernel/yaml/files.ts";

/** The rule that all quote by in the measurement of speed: as bench/peers/quoin.yaml has it. */
const QUOTE = { halfSpread: 0.0004, size: 0.5 };
const FIRST_MS = 1000;
const NS_PER_MS = 1_000_000;
const kinds = { placed: 0, modified: 1, gone: 2 } as const;

/** Writes markets.json and an events file per market into the folder; returns the number of changed levels and trades. */
export function writeStream(recording: Recording, session: Session, folder: string): number {
  let events = 0;
  const markets = session.markets.map(({ market }) => {
    const { marketId } = market;
    const actions: object[] = [];
    const rows = eventsOf(
      retimed(replaySession(recording, session), (happened, atNs) => {
        if (happened.kind !== "placed" && happened.kind !== "modified" && happened.kind !== "gone") return;
        if (happened.order.marketId === marketId) actions.push(actionOf(happened.kind, happened.order, atNs));
      }),
      marketId,
    );
    events += rows.count;
    const file = `events-${marketId}.npz`;
    writeOutput(join(folder, file), (write) =>
      writeNpz({ descr: eventDescr, count: rows.count, pieces: rows.filled() }, write),
    );
    return { marketId, events: file, ...termsOf(market, session.feeTiers), ...QUOTE, actions };
  });
  writeFileSync(join(folder, "markets.json"), JSON.stringify(markets));
  return events;
}

/** The happening at a time of the written stream, counted from 0. */
export const happeningAt = (atNs: number): number => Math.floor(atNs / NS_PER_MS) - FIRST_MS;

function* retimed(
  session: Iterable<Happened>,
  told: (happened: Happened, atNs: number) => void,
): Generator<Happened, void> {
  let atMs = FIRST_MS;
  for (const happened of session) {
    told(happened, atMs * NS_PER_MS);
    yield { ...happened, wallMs: FIRST_MS, monotonicMs: atMs };
    atMs += 1;
  }
}

/** `size`: all that the order may trade from its placement on. */
const actionOf = (kind: keyof typeof kinds, { orderId, side, price, size, filled }: OwnOrder, atNs: number) => ({
  atNs,
  kind: kinds[kind],
  orderId: `${orderId}`,
  isBuy: side === "buy",
  price: usd(price),
  size: contracts(kind === "placed" ? size - filled : size),
});

function termsOf({ tickSize, assetClass }: SessionMarket["market"], tiers: readonly FeeTier[]) {
  const { makerFeeBps = 0, takerFeeBps = 0 } = feeTierFor(tiers, assetClass, usdc(0n)) ?? {};
  return { tick: usd(tickSize), lot: 10 ** -SIZE_SCALE, makerFee: makerFeeBps / 1e4, takerFee: takerFeeBps / 1e4 };
}

const usd = (value: Price): number => Number(value) / 10 ** PRICE_SCALE;
const contracts = (value: bigint): number => Number(value) / 10 ** SIZE_SCALE;
