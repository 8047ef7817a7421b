// Every way that a gate closes and every limit that is passed reads as a sentence: no raw units, no gaps, no names of facts.

import { describe, expect, test } from "vitest";
import { denialText } from "../../../../../src/bot/decider/desks/denial-text.ts";
import { readGates } from "../../../../../src/bot/risk/gates/gates.ts";
import { type DenialReason, denialReasons } from "../../../../../src/bot/risk/guard.ts";
import { price, size, usdc } from "../../../../../src/domain/units.ts";
import type { Facts } from "../../../../../src/kernel/errors.ts";
import { closings, healthy } from "../../risk/closings.ts";

const RAW = /undefined|NaN|null|\d{7}|\b(stale|absent)\b|Ms\b/;

test.each(closings)("$gate, $how, is a sentence", ({ gate, closes }) => {
  const closed = readGates(closes(healthy)).find((reading) => reading.gate === gate)?.closed;
  expect(denialText(gate, closed ?? {})).not.toMatch(RAW);
});

const usd = (value: number) => price(BigInt(Math.round(value * 1e8)));
const lots = (value: number) => size(BigInt(value * 1e6));
const amount = (value: number) => usdc(BigInt(value * 1e6));

describe("the numbers are told in the units of people", () => {
  test.each<readonly [DenialReason, Facts, string]>([
    ["reconciled", { reconciled: "stale", ageMs: 39_559.9 }, "last reconciled 40 s ago"],
    [
      "reconciled",
      { reason: "gap", forMs: 5, unfenced: 1 },
      "the account resynchronizes: the stream was interrupted; no new exposure until two reads of the account agree, and until its unanswered orders (1), beside a foreign one, can no longer execute (venue.landingBoundMs)",
    ],
    ["oracleExpiry", { leftMs: 4000, oracleGuardMs: 250 }, "the oracle print expires in 4 s"],
    ["oracleExpiry", { leftMs: -90_000, oracleGuardMs: 250 }, "the oracle print expired 1 min 30 s ago"],
    [
      "nonce",
      { code: "offsetTooLarge", offsetMs: -3000, offsetMsMax: 1500 },
      "no nonce for a new order: our clock and chain time differ by 3 s, limit 1.5 s, by the median of the last pongs; it waits until they agree",
    ],
    ["agentKey", { leftMs: 590_000, agentExpiryMarginMs: 600_000 }, "the agent key expires in 9 min 50 s"],
    ["eventLoop", { lagMs: 1194.823_203, maxEventLoopLagMs: 1000 }, "the process stalled for 1.2 s, limit 1 s"],
    [
      "clock",
      { offsetMs: -3000, maxClockOffsetMs: 1000, blockMs: 400 },
      "our clock and chain time differ by 3 s, limit 1.4 s, by the median of the last pongs; it waits until they agree",
    ],
    [
      "adverseFills",
      { side: "buy", phase: "open", horizon: "10s", fills: 12.04, halfSpreads: -3.52 },
      "paused after fills that the price moved against: their mean markout after 10s is -3.5 half-spreads (12 fills, between prints)",
    ],
    [
      "adverseFills",
      { side: "buy", phase: "beforePrint", horizon: "drawnSoon", fills: 4, halfSpreads: -3 },
      "paused after fills that the price moved against: their mean markout after 1 to 10 s is -3 half-spreads (4 fills, before a print)",
    ],
    [
      "adverseFills",
      { side: "buy", phase: "open", horizon: "60s", fills: 1, halfSpreads: -1.04 },
      "paused after fills that the price moved against: their mean markout after 60s is -1 half-spread (1 fill, between prints)",
    ],
    [
      "printMove",
      { from: 20_000_000_000n, to: 30_000_000_000n },
      "the print moved from 200 to 300, and no second publication agrees yet",
    ],
    [
      "printMove",
      { newestMs: 1_790_000_000_000 },
      "the print published 2026-09-21T14:13:20.000Z is unconfirmed: a read shows an older one; another as new confirms it, a second older one replaces it",
    ],
    ["tick", { price: usd(216.945), tickSize: usd(0.01) }, "price 216.945 is not a multiple of the tick 0.01"],
    [
      "orderNotional",
      { notional: amount(1200), maxOrderNotional: amount(1000) },
      "notional 1200 USDC exceeds maxOrderNotional 1000",
    ],
    [
      "priceBand",
      { price: usd(230), oraclePrice: usd(216.94), bandBps: 500 },
      "price 230 is more than 500 bps from the oracle price 216.94",
    ],
    [
      "fairValueCollar",
      { awayBps: 10, feeBps: 40, isFeeKnown: true, maxLossBps: 0, fairValueUsd: 216.94 },
      "a fill would lose 30 bps: the price is 10 bps from the fair value 216.94, and the fee is 40 bps",
    ],
    [
      "fairValueCollar",
      { awayBps: -55.25, feeBps: 10, isFeeKnown: false, maxLossBps: 50, fairValueUsd: 216.94 },
      "a fill would lose 65.25 bps, limit 50: the price is -55.25 bps from the fair value 216.94, and the fee is 10 bps (assumed: the fee tier is unknown)",
    ],
    ["selfTrade", { price: usd(217), own: usd(216.9) }, "price 217 would trade with our own order at 216.9"],
    ["selfTrade", { price: null, own: usd(216.9) }, "a market order would trade with our own order at 216.9"],
    ["worstPosition", { worst: lots(20.5), maxPosition: lots(20) }, "the position could reach 20.5, maxPosition 20"],
  ])("%s %o", (reason, numbers, text) => {
    expect(denialText(reason, numbers)).toBe(text);
  });
});

test("every reason has a text", () => {
  for (const reason of denialReasons) expect(denialText(reason, { price: usd(1) })).not.toBe("");
});
