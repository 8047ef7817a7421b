// docs/reports.md is as the code says.

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { pnlColumns, type ReportColumn, tradeColumns } from "../../../src/cli/report-columns.ts";
import { PROJECT } from "../../support/quoin.ts";

const table = (columns: readonly ReportColumn[]): string =>
  ["| Column | Means |", "| --- | --- |", ...columns.map(({ name, means }) => `| \`${name}\` | ${means} |`)].join("\n");

const text = `# Where the money went

\`quoin trades --config FILE\` lists every fill, \`quoin pnl --config FILE [--by day|week|month]\` what was gained and lost, by market and source.
Both read the ledger, rows in its archive included, whether a daemon runs or not; of an account whose chain began again, those of the present
chain. \`--from\` and \`--to\` take a date or a time (ISO 8601, UTC unless it names a zone): from the first on, before the second; \`pnl\` counts
the days that they overlap. \`--market ID\` leaves one market. \`--format\` is \`table\`, \`csv\` (RFC 4180), \`json\` (one object a line, as \`--json\`)
or \`parquet\`; \`--out FILE\` writes it to a file. Amounts are exact.

## trades

${table(tradeColumns)}

The time is the one that the exchange told with the fill; its indexed history may show it some milliseconds earlier.

## pnl

${table(pnlColumns)}

[How PnL is valued](how-pnl-is-valued.md) explains the two prices and the five sources. The prices of a period are the last of its last day that the ledger has, ten
seconds old at most beside a running daemon. A period with a position and no daemon counts in the next one that has prices. Funding that
settled while no daemon ran is a transfer, and no part of PnL.
`;

test("docs/reports.md is as the code says (npx vitest run test/unit/cli/report-columns.test.ts -u writes it)", async () => {
  await expect(text).toMatchFileSnapshot(resolve(PROJECT, "docs/reports.md"));
});
