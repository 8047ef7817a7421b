// Makes tapes: of the devnet and its crowd without us, once per seed, or of a recorded session without its bot's orders.

import type { DevnetConfig } from "../../devnet/config/config.ts";
import type { MarketId } from "../../domain/units.ts";
import { DAY_MS, HOUR_MS, macrotask, microtasks } from "../../kernel/clock.ts";
import { createVirtualClock } from "../../kernel/virtual-clock.ts";
import type { PublicEvent } from "../../paper/mirror.ts";
import { createSimulatedExchange } from "../../sim/exchange.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../wire/signing-simulated.ts";
import { type Recording, replaySession, type Session } from "../recorded/session.ts";
import { type Tape, type TapeEvent, type TapeMarket, TapeWriter } from "./tape.ts";

/** How often a bot reads each market. */
const READ_EVERY_MS = 10_000;

/** Records the devnet with its seed set, from `startMs` (Unix ms). `markets`: those that are wanted. Throws RangeError as TapeWriter. */
export async function tapeOfDevnet(
  devnet: DevnetConfig,
  markets: readonly MarketId[],
  { startMs, days }: { readonly startMs: number; readonly days: number },
): Promise<Tape> {
  const clock = createVirtualClock({ startMs, settle: microtasks });
  const exchange = createSimulatedExchange(
    { config: { ...devnet, clock: { mode: "real" } }, shortcuts: true },
    { clock, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const { chain } = exchange;
  const { reads } = chain;
  const writer = new TapeWriter({
    startMs,
    feeTiers: reads.feeTiers(),
    openOrderCap: devnet.openOrderCap,
    markets: markets.map((id): TapeMarket => {
      const [market, oracle, funding] = [reads.market(id), reads.oracle(id), reads.funding(id)];
      if (market === undefined || oracle === undefined || funding === undefined)
        throw new RangeError(`the exchange has no market ${id}`);
      return { market, oracle, funding, history: reads.oracleHistory(id) ?? { marketId: id, prices: [] } };
    }),
  });
  const changed = new Set<MarketId>(markets);
  chain.onEvents(({ events, timeMs }) => {
    const receivedMs = timeMs - startMs;
    for (const event of events) {
      switch (event.type) {
        case "BookChanged":
          changed.add(event.marketId);
          break;
        case "Fill":
          writer.take(receivedMs, { kind: "trade", trade: event.execution, receivedMs });
          break;
        case "OracleUpdated":
          writer.take(receivedMs, { ...event, kind: "oracleUpdate", receivedMs });
          writeReads(event.marketId, receivedMs);
          break;
        case "FundingUpdated": {
          const { marketId, fundingRate, timestampSec } = event;
          const lastFundingTimestampSec = timestampSec;
          writer.take(receivedMs, {
            kind: "fundingUpdate",
            marketId,
            fundingRate,
            lastFundingTimestampSec,
            receivedMs,
          });
          break;
        }
        case "MarketStatusChanged":
          writeReads(event.marketId, receivedMs);
          break;
        default:
          break;
      }
    }
  });
  const writeReads = (id: MarketId, receivedMs: number): void => {
    const [market, oracle, funding] = [reads.market(id), reads.oracle(id), reads.funding(id)];
    const received = { askedMs: receivedMs, receivedMs };
    if (market !== undefined) writer.take(receivedMs, { kind: "marketRead", market, ...received });
    if (oracle !== undefined) writer.take(receivedMs, { kind: "oracleRead", oracle, ...received });
    if (funding !== undefined) writer.take(receivedMs, { kind: "fundingRead", funding, ...received });
  };
  let readMs = Number.NEGATIVE_INFINITY;
  chain.onBlock(({ timeMs }) => {
    const receivedMs = timeMs - startMs;
    for (const id of changed) {
      const book = reads.book(id);
      if (book !== undefined) writer.take(receivedMs, { kind: "book", book, receivedMs });
    }
    changed.clear();
    if (receivedMs - readMs < READ_EVERY_MS) return;
    readMs = receivedMs;
    for (const id of markets) writeReads(id, receivedMs);
  });
  const lastsMs = Math.round(days * DAY_MS);
  for (let doneMs = 0; doneMs < lastsMs; doneMs += HOUR_MS) {
    await clock.advance(Math.min(HOUR_MS, lastsMs - doneMs));
    await macrotask();
  }
  await exchange.close();
  return writer.end(lastsMs);
}

/** A recorded session without its bot's orders. Throws RangeError as TapeWriter, and what the recording throws. */
export function tapeOfSession(recording: Recording, session: Session): Tape {
  const { markets, feeTiers, openOrderCap, fromMs, toMs } = session;
  const writer = new TapeWriter({ startMs: fromMs, feeTiers, openOrderCap: openOrderCap ?? USUAL_CAP, markets });
  for (const happened of replaySession(recording, session)) {
    const atMs = Math.max(0, happened.wallMs - fromMs);
    // A taker that met the bot's orders would have met ours; what the bot took, nobody else took.
    if (happened.kind === "trade" && happened.own !== "taker")
      writer.take(atMs, { kind: "trade", trade: happened.trade, receivedMs: atMs });
    if (happened.kind === "published" && isOnTape(happened.published)) writer.take(atMs, happened.published);
  }
  return writer.end(toMs - fromMs);
}

/** Equal to the devnet's. */
const USUAL_CAP = 200;

const onTape: ReadonlySet<PublicEvent["kind"]> = new Set<TapeEvent["kind"] & PublicEvent["kind"]>([
  "book",
  "oracleUpdate",
  "fundingUpdate",
  "marketRead",
  "oracleRead",
  "fundingRead",
]);
const isOnTape = (event: PublicEvent): event is PublicEvent & TapeEvent => onTape.has(event.kind);
