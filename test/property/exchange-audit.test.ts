// An auditor's books against the devnet over sockets: a few sequences of 300 acts; `npm run test:long` runs two thousand.

import { expect, it } from "vitest";
import { auditSequences } from "../support/audit/shrink.ts";

it("the exchange and an auditor's own books agree through 8 sequences of orders, transfers, prints, funding and settlement", async () => {
  const { tally, faults } = await auditSequences(1, 8, 1);
  expect(faults.join("\n\n")).toBe("");
  expect(tally.fills).toBeGreaterThan(160);
  expect(tally.liquidations).toBeGreaterThan(1);
});
