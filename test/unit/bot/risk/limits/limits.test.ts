// The limits as written: required ones, defaults that let a busy market pass, exact decimals, and every fault with what is allowed.

import { describe, expect, test } from "vitest";
import {
  accountLimitsSchema,
  marketLimitsSchema,
  tightenAccount,
  tightenMarket,
} from "../../../../../src/bot/risk/limits/limits.ts";
import { usdc } from "../../../../../src/domain/units.ts";
import { lots } from "../healthy.ts";

const required = { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 };
const faults = (
  written: unknown,
  schema: typeof marketLimitsSchema | typeof accountLimitsSchema = marketLimitsSchema,
) => schema.safeParse(written).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);

test("the four required limits are enough, and are read exactly", () => {
  expect(marketLimitsSchema.parse(required)).toMatchObject({
    maxPosition: lots(20),
    maxOrderSize: lots(2),
    maxOpenOrders: 20,
    maxLoss: usdc(500_000_000n),
    maxDrawdown: usdc(500_000_000n),
    maxFillsPerMinute: 300,
    maxPrintMoveBps: 200,
  });
  const exact = marketLimitsSchema.parse({ ...required, maxPosition: "12345678901234.000001", maxDrawdown: 0.1 });
  expect(exact.maxPosition).toBe(12_345_678_901_234_000_001n);
  expect(exact.maxDrawdown).toBe(100_000n);
});

test("a limit that is not said is no limit of the account, a drawdown follows the loss", () => {
  expect(accountLimitsSchema.parse({})).toEqual({
    maxGrossNotional: null,
    maxLoss: null,
    maxDrawdown: null,
    maxOpenOrders: null,
  });
  expect(accountLimitsSchema.parse({ maxLoss: 7 })).toMatchObject({ maxLoss: 7_000_000n, maxDrawdown: 7_000_000n });
});

describe("forbidden", () => {
  test("to leave out what may be lost", () => {
    expect(faults({})).toEqual([
      "maxPosition: missing; must be a size in contracts with at most 6 decimals, above 0",
      "maxOrderSize: missing; must be a size in contracts with at most 6 decimals, above 0",
      "maxOpenOrders: missing; must be a whole number of orders from 1 to 10000",
      "maxLoss: missing; must be an amount in USDC with at most 6 decimals, above 0",
    ]);
  });

  test.each([
    [{ maxPosition: 0 }, "maxPosition: 0 is not allowed; must be a size in contracts with at most 6 decimals, above 0"],
    [
      { maxPosition: true },
      "maxPosition: true is not allowed; must be a size in contracts with at most 6 decimals, above 0",
    ],
    [
      { maxPosition: "0.0000001" },
      'maxPosition: "0.0000001" is not allowed; must be a size in contracts with at most 6 decimals, above 0',
    ],
    [{ maxLoss: "many" }, 'maxLoss: "many" is not allowed; must be an amount in USDC with at most 6 decimals, above 0'],
    [{ maxOpenOrders: 2.5 }, "maxOpenOrders: 2.5 is not allowed; must be a whole number of orders from 1 to 10000"],
    [{ maxRejectRatio: 1.1 }, "maxRejectRatio: 1.1 is not allowed; must be a ratio from 0 to 1"],
    [
      { oracleGuardMs: "1s" },
      'oracleGuardMs: "1s" is not allowed; must be a whole number of milliseconds from 0 to 3600000',
    ],
  ])("%o", (written, said) => {
    expect(faults({ ...required, ...written })).toEqual([said]);
  });

  test("a key that nobody knows, with those that are known", () => {
    expect(faults({ ...required, maxPositon: 5 })?.[0]).toMatch(
      /^: unknown key; did you mean maxPosition\? Allowed: maxPosition, maxOrderSize, /,
    );
    expect(faults({ maxPosition: 5 }, accountLimitsSchema)?.[0]).toBe(
      ": unknown key; allowed: maxGrossNotional, maxLoss, maxDrawdown, maxOpenOrders",
    );
    expect(faults(null)?.[0]).toMatch(/^: must be a mapping with maxPosition/);
    expect(faults(undefined)?.[0]).toMatch(/^: missing; a mapping with maxPosition/);
  });
});

describe("what may hold at once of a change", () => {
  const market = (changes: object) => marketLimitsSchema.parse({ ...required, ...changes });
  const account = (changes: object) => accountLimitsSchema.parse(changes);

  test("the same limits, and tighter ones, as a whole", () => {
    for (const changes of [{}, { maxPosition: 19.999_999, maxLoss: 1, marginShockBps: 501, oracleGuardMs: 251 }]) {
      const wanted = market(changes);
      expect(tightenMarket(market({}), wanted)).toEqual({ limits: wanted, looser: [] });
    }
  });

  test.each([
    ["maxPosition", 20.000_001],
    ["maxFillsPerMinute", 301],
    ["rejectSamplesMin", 21],
    ["killTargetMs", 5001],
    ["marginShockBps", 0],
    ["marginHaircutRatio", 0.09],
    ["minMaintenanceRatio", 1.9],
    ["oracleGuardMs", 249],
    ["agentExpiryMarginMs", 0],
    ["rejectCoolDownMs", 0],
    ["budgetReserve", 19],
    ["assumedFeeBps", 9],
  ] as const)("%s of %s waits, and what is tighter beside it does not", (key, value) => {
    const { limits, looser } = tightenMarket(market({}), market({ [key]: value, maxOrderSize: 1 }));
    expect(looser).toEqual([key]);
    expect(limits).toEqual(market({ maxOrderSize: 1 }));
  });

  test("a limit that goes is looser than every number; one that comes is tighter", () => {
    expect(tightenAccount(account({ maxOpenOrders: 5 }), account({})).looser).toEqual(["maxOpenOrders"]);
    expect(tightenAccount(account({}), account({ maxOpenOrders: 5 })).looser).toEqual([]);
  });

  test("an adaptive limit is not comparable with a number: either change is looser", () => {
    const key = "maxOracleDistanceBps";
    const [adaptive, fixed] = [market({}), market({ [key]: 1 })];
    expect(tightenMarket(adaptive, fixed)).toEqual({ limits: adaptive, looser: [key] });
    expect(tightenMarket(fixed, adaptive)).toEqual({ limits: fixed, looser: [key] });
    expect(tightenMarket(adaptive, adaptive).looser).toEqual([]);
    expect(tightenMarket(market({ [key]: 2 }), fixed).looser).toEqual([]);
    expect(tightenMarket(fixed, market({ [key]: 2 })).looser).toEqual([key]);
  });
});
