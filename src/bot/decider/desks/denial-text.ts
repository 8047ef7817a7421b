// Why an order is denied, in words that an operator need not look up: the fault, with current numbers and their units.

import { type StorageFault, storageTexts } from "../../../domain/storage.ts";
import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../../../domain/units.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import { type Facts, factsText } from "../../../kernel/errors.ts";
import { countText, durationText, timeText } from "../../../kernel/text.ts";
import { type ResyncReason, resyncTexts } from "../../account/resync-reasons.ts";
import type { Phase } from "../../risk/adverse.ts";
import type { DenialReason } from "../../risk/guard.ts";

/** Returns a clause without a full stop, such as `the oracle print expires in 4 s`. `numbers`: those of the gate or limit. */
export function denialText(reason: DenialReason, numbers: Facts): string {
  if (numbers.threw !== undefined) return `${reason} could not be judged: ${numbers.threw}`;
  return unknownText(numbers) ?? texts[reason](numbers);
}

/** Returns which facts a gate or limit needs and does not know; undefined where it knows all. */
function unknownText(numbers: Facts): string | undefined {
  for (const [name, { absent, stale, unconfirmed }] of Object.entries(unknowns)) {
    const value = numbers[name];
    if (value === "stale" && numbers.doubt !== undefined) return `${unconfirmed}: ${numbers.doubt}`;
    if (value === "stale") return stale(duration(numbers.ageMs));
    if (value === "absent" || value === "unknown") return absent;
  }
  return undefined;
}

const named = (subject: string) => ({
  absent: `${subject} is unknown`,
  unconfirmed: `${subject} is unconfirmed`,
  stale: (age: string) => `${subject} has not been confirmed for ${age}`,
});

/** Facts by the names that the guard gives them. */
const unknowns: Readonly<Record<string, ReturnType<typeof named>>> = {
  accountDailyPnl: named("the account's daily PnL"),
  agent: { ...named("the agent key's approval"), absent: "the agent key is not known to be approved on the account" },
  book: named("the book"),
  chain: named("chain time"),
  eventLoopLagMs: named("the event loop's lag"),
  fairValue: named("the fair value"),
  funds: {
    absent: "the account's collateral and margin are unknown",
    unconfirmed: "the account's collateral and margin are unconfirmed",
    stale: (age) => `the account's collateral and margin have not been confirmed for ${age}`,
  },
  grossNotionalElsewhere: named("the notional of the account's other markets"),
  journal: named("the journal's health"),
  ledgerSpace: named("the ledger's free space"),
  margin: named("the margin of the worst case"),
  market: named("the market's status"),
  marketDailyPnl: named("the market's daily PnL"),
  nonceRefusal: named("whether the key has a nonce"),
  oracle: named("the oracle price"),
  order: named("the order to modify"),
  position: named("the position"),
  price: named("the price"),
  reconciled: {
    ...named("orders and positions"),
    absent: "not reconciled with the exchange yet",
    stale: (age) => `last reconciled ${age} ago`,
  },
  validUntil: {
    ...named("the print's expiry"),
    absent: "the exchange does not say until when the oracle print is valid",
  },
  stream: {
    ...named("the stream"),
    absent: "no stream is connected",
    stale: (age) => `the stream has been silent for ${age}`,
  },
};

const texts: Readonly<Record<DenialReason, (numbers: Facts) => string>> = {
  halted: ({ kind, why }) => (kind === "operator" ? `halted by operator: ${why}` : `halted (${kind}): ${why}`),
  reducing: ({ why }) => `reducing only: ${why}`,
  journal: ({ journal }) => storageTexts[journal as StorageFault],
  ledgerSpace: () => "the ledger or its disk is full: what is left is kept for reductions and cancels",
  reconciled: ({ reason, unfenced }) =>
    `the account resynchronizes: ${resyncTexts[reason as ResyncReason]}; no new exposure until two reads of the account agree${
      unfenced === undefined
        ? ""
        : `, and until its unanswered orders (${unfenced}), beside a foreign one, can no longer execute (venue.landingBoundMs)`
    }`,
  exposure: worstCaseText,
  stream: () => "the WebSocket stream is silent",
  marketStatus: ({ status }) => statusText("market", status),
  oracleStatus: ({ status }) => statusText("oracle", status),
  oracleExpiry: ({ leftMs }) => endText("the oracle print", leftMs),
  printMove: ({ from, to, newestMs }) =>
    newestMs === undefined
      ? `the print moved from ${usd(from)} to ${usd(to)}, and no second publication agrees yet`
      : `the print published ${timeText(Number(newestMs))} is unconfirmed: a read shows an older one; another as new confirms it, a second older one replaces it`,
  book: ({ bestBid, bestAsk, mid, oraclePrice, maxBookDistanceBps }) =>
    mid === undefined
      ? `the book is crossed: bid ${usd(bestBid)}, ask ${usd(bestAsk)}`
      : `the book's mid ${usd(mid)} is more than ${maxBookDistanceBps} bps from the oracle price ${usd(oraclePrice)}`,
  volatility: ({ volatilityBps, mostBps, pausedMs }) =>
    pausedMs === undefined
      ? `volatility is ${decimal(volatilityBps)} bps per √s, limit ${decimal(mostBps)}`
      : `paused for ${duration(pausedMs)} after high volatility`,
  clock: ({ offsetMs, maxClockOffsetMs, blockMs }) => clocksText(offsetMs, Number(maxClockOffsetMs) + Number(blockMs)),
  funds: () => "collateral and margin are unknown",
  agentKey: ({ leftMs }) => endText("the agent key", leftMs),
  nonce: nonceText,
  eventLoop: ({ lagMs, maxEventLoopLagMs }) =>
    `the process stalled for ${duration(lagMs)}, limit ${duration(maxEventLoopLagMs)}`,
  rejectRatio: ({ pausedMs }) => `paused for ${duration(pausedMs)}: the exchange turned down too many orders`,
  budget: ({ remaining, reserved }) =>
    `the request budget is nearly used: ${remaining} left, of which ${reserved} are kept for cancels and to come back with, an order every 10 s`,
  dailyPnl: ({ of, pnl, fall, maxLoss, maxDrawdown }) =>
    `the ${of}'s daily PnL is near a limit: ${usdc(pnl)} USDC (maxLoss ${usdc(maxLoss)}), ${usdc(fall)} below the day's best (maxDrawdown ${usdc(maxDrawdown)})`,

  cannotAct: ({ forMs, why }) => `its orders have not reached the book for ${duration(forMs)}: ${why}`,

  scope: ({ accountId, marketId }) => `the command names account ${accountId}, market ${marketId}`,
  wellFormed: (numbers) => `the order is malformed (${factsText(numbers)})`,
  tick: ({ price, tickSize }) => `price ${usd(price)} is not a multiple of the tick ${usd(tickSize)}`,
  orderSize: ({ size, maxOrderSize }) => `size ${contracts(size)} exceeds maxOrderSize ${contracts(maxOrderSize)}`,
  orderNotional: ({ notional, maxOrderNotional }) =>
    `notional ${usdc(notional)} USDC exceeds maxOrderNotional ${usdc(maxOrderNotional)}`,
  priceBand: bandText,
  oraclePriceCollar: bandText,
  fairValueCollar: ({ awayBps, feeBps, isFeeKnown, maxLossBps, fairValueUsd, oracleUsd, bandBps }) =>
    awayBps === undefined
      ? `the fair value ${decimal(fairValueUsd)} is more than ${bandBps} bps from the oracle price ${decimal(oracleUsd)}`
      : `a fill would lose ${decimal(Number(feeBps) - Number(awayBps))} bps${maxLossBps === 0 ? "" : `, limit ${maxLossBps}`}: the price is ${decimal(awayBps)} bps from the fair value ${decimal(fairValueUsd)}, and the fee is ${feeBps} bps${isFeeKnown ? "" : " (assumed: the fee tier is unknown)"}`,
  adverseFills: (numbers) => `paused ${adverseFillsText(numbers)}`,
  selfTrade: ({ price, own }) =>
    `${price === null ? "a market order" : `price ${usd(price)}`} would trade with our own order at ${usd(own)}`,
  duplicate: ({ side, level }) =>
    `the ${side} order ${level === null ? "that closes the position" : `of level ${level}`} is unanswered`,
  unreadableOrder: ({ order, why }) =>
    `${order === null ? "an order" : `order ${order}`} that the exchange lists here cannot be read and may be of any size: ${why}`,
  openOrders: ({ orders, maxOpenOrders, accountOrders, cap }) =>
    `open orders reached a limit: ${orders} in the market (maxOpenOrders ${maxOpenOrders}), ${accountOrders} in the account (exchange's cap ${cap})`,
  cancelCapacity: ({ orders, capacity }) => `${orders} orders rest; at most ${capacity} can be canceled in time`,
  orderRate: ({ recent, inBatch, maxAddsPerSecond }) =>
    `${Number(recent) + Number(inBatch)} orders placed or moved within a second, limit ${maxAddsPerSecond}`,
  worstPosition: worstCaseText,
  grossNotional: worstCaseText,
  margin: worstCaseText,
  guardFault: factsText,
};

/** Why a side is further away, smaller or gone. */
export const adverseFillsText = ({ phase, horizon, fills, halfSpreads }: Facts): string =>
  `after fills that the price moved against: their mean markout ${horizons[`${horizon}`] ?? `after ${horizon}`} is ${halfSpreadsText(short(halfSpreads))} (${countText(Number(short(fills)), "fill")}, ${phaseTexts[phase as Phase]})`;

/** `-3.5 half-spreads`, `1 half-spread`. */
export const halfSpreadsText = (number: string): string =>
  `${number} half-spread${number === "1" || number === "-1" ? "" : "s"}`;

const phaseTexts: Readonly<Record<Phase, string>> = {
  open: "between prints",
  beforePrint: "before a print",
  afterPrint: "after a print",
};

/** Horizons whose name is not a duration. */
const horizons: Readonly<Record<string, string>> = {
  drawnSoon: "after 1 to 10 s",
  drawnLate: "after 10 to 120 s",
};

const clocksText = (offsetMs: Value, limitMs: Value): string =>
  `our clock and chain time differ by ${duration(offsetMs)}, limit ${duration(limitMs)}, by the median of the last pongs; it waits until they agree`;

function nonceText({ code, ...numbers }: Facts): string {
  switch (code) {
    case "offsetUnknown":
      return "no nonce for a new order: chain time is unknown";
    case "offsetTooLarge":
      return `no nonce for a new order: ${clocksText(numbers.offsetMs, numbers.offsetMsMax)}`;
    case "tooManyInFlight":
      return `no nonce for a new order: ${numbers.inFlight} transactions are unanswered, limit ${numbers.inFlightMax}`;
    default:
      return "no nonce for a new order: the next ones are not reserved on disk yet";
  }
}

function worstCaseText({ worst, maxPosition, gross, maxGrossNotional, ...need }: Facts): string {
  if (worst !== undefined) return `the position could reach ${contracts(worst)}, maxPosition ${contracts(maxPosition)}`;
  if (gross !== undefined)
    return `the account's notional could reach ${usdc(gross)} USDC, maxGrossNotional ${usdc(maxGrossNotional)}`;
  const { initial, initialAllowed, maintenance, equityAfterShock } = need;
  return `the worst case needs ${usdc(initial)} USDC initial margin of ${usdc(initialAllowed)} and ${usdc(maintenance)} maintenance margin of ${usdc(equityAfterShock)}`;
}

function bandText({ price, oraclePrice, bandBps }: Facts): string {
  return `price ${usd(price)} is more than ${bandBps} bps from the oracle price ${usd(oraclePrice)}`;
}

const statusText = (of: string, status: unknown): string =>
  status === "Unknown" ? `the exchange names no status of the ${of}` : `the ${of} is ${status}`;

const endText = (subject: string, leftMs: Value): string =>
  Number(leftMs) > 0 ? `${subject} expires in ${duration(leftMs)}` : `${subject} expired ${duration(leftMs)} ago`;

type Value = Facts[string] | undefined;

const duration = (ms: Value): string => durationText(Number(ms));
/** Four digits after the point at most. */
const decimal = (value: Value): string => `${Math.round(Number(value) * 1e4) / 1e4}`;
/** One digit after the point at most. */
const short = (value: Value): string => `${Math.round(Number(value) * 10) / 10}`;
const scaled = (value: Value, scale: number): string =>
  typeof value === "bigint" ? formatDecimal(value, scale) : "none";
const usd = (value: Value): string => scaled(value, PRICE_SCALE);
const contracts = (value: Value): string => scaled(value, SIZE_SCALE);
const usdc = (value: Value): string => scaled(value, AMOUNT_SCALE);
