// A difference from the exchange is told in the units of people, with the market's name.

import { expect, test } from "vitest";
import { mismatchKinds } from "../../../../src/bot/account/effects.ts";
import { awayText, mismatchText, transferText, unattributedText } from "../../../../src/bot/decider/mismatch-text.ts";
import { accountId, size, usdc } from "../../../../src/domain/units.ts";

test.each([
  ["position", "7952500", "7583500", "METRO-HPI: our position is 7.9525, two reads say 7.5835"],
  ["orderPrice", "21694000000", "21695000000", "METRO-HPI: our order price is 216.94, two reads say 216.95"],
  ["fillMissed", "none", "1:8816", "METRO-HPI: recovered a missed fill"],
] as const)("%s", (what, expected, found, text) => {
  expect(mismatchText("METRO-HPI", what, { expected, found })).toBe(text);
});

test("every kind has a sentence of its own", () => {
  const texts = mismatchKinds.map((what) => mismatchText("M", what, { expected: "1", found: "2" }));
  expect(new Set(texts).size).toBe(mismatchKinds.length);
});

test("what no fill names is told with where the position was, where it is, and how it was booked", () => {
  const moved = { contracts: size(500_000n), from: size(-1_000_000n), to: size(250_000n) };
  expect(unattributedText(accountId(12n), 1, moved)).toBe(
    "account 12: the position in market 1 went from -1 to 0.25 contracts; no fill explains 0.5 of it: booked at the oracle price",
  );
});

test("a transfer says which way the money went, and what changed while away is told with its worth", () => {
  const account = accountId(12n);
  expect(transferText(account, usdc(500_000_000n))).toMatch(
    /changed by \+500 USDC, and no fill, fee or funding explains it: booked as a transfer \(a deposit\)/,
  );
  expect(transferText(account, usdc(-1n))).toMatch(
    /changed by -0.000001 USDC, and no fill, fee or funding explains it: booked as a transfer \(a withdrawal\)/,
  );
  const moved = [{ marketId: 1, from: size(18_170_000n), to: size(-19_700_000n) }];
  const away = { amount: usdc(-56_160_000n), pnl: usdc(0n), worth: usdc(-50_000_000n), moved };
  expect(awayText(account, away)).toBe(
    "account 12: while the daemon was away the collateral changed by -56.16 USDC and the position in market 1 went from 18.17 to -19.7 contracts; -50 USDC of it, beyond the price's own move, is booked as a transfer, not as PnL",
  );
  expect(awayText(account, { ...away, amount: usdc(0n), worth: usdc(0n) })).not.toMatch(/collateral/);
  const pnl = usdc(-6_160_000n);
  expect(awayText(account, { ...away, pnl, moved: [] })).toBe(
    "account 12: while the daemon was away the collateral changed by -56.16 USDC, -6.16 of it by fills and funding; -43.84 USDC of it, beyond the price's own move, is booked as a transfer, not as PnL",
  );
  expect(awayText(account, { amount: pnl, pnl, worth: pnl, moved: [] })).toBe(
    "account 12: while the daemon was away the collateral changed by -6.16 USDC, -6.16 of it by fills and funding",
  );
});
