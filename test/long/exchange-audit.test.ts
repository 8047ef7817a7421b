// Two thousand audited sequences of 300 acts: SEQUENCES of them, from FIRST_SEQUENCE on. A broken law is shrunk to few acts and printed
// with the command that runs those again, which sets SEQUENCE and ACTS.

import { expect, it } from "vitest";
import { auditSequence, newTally } from "../support/audit/audit.ts";
import { auditSequences } from "../support/audit/shrink.ts";

const { SEQUENCE, ACTS, FIRST_SEQUENCE = 1, SEQUENCES = 2000 } = process.env;
const sequences = Number(SEQUENCES);
const SEQUENCE_MS_MAX = 5000;

if (SEQUENCE === undefined) {
  it(`exchange and auditor agree through ${sequences} sequences`, {
    timeout: sequences * SEQUENCE_MS_MAX,
  }, async () => {
    const { tally, faults } = await auditSequences(Number(FIRST_SEQUENCE), sequences);
    console.log(JSON.stringify(tally));
    expect(faults.join("\n\n")).toBe("");
  });
} else {
  it(`exchange and auditor agree through sequence ${SEQUENCE}`, async () => {
    const broken = await auditSequence(Number(SEQUENCE), ACTS?.split(",").map(Number), newTally(), console.log);
    expect(broken).toBeNull();
  });
}
