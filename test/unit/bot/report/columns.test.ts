// docs/reports.md is as the code says.

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { pnlColumns, type ReportColumn, tradeColumns } from "../../../../src/bot/report/columns.ts";
import { PROJECT } from "../../../support/quoin.ts";

const table = (columns: readonly ReportColumn[]): string =>
  ["| Column | Means |", "| --- | --- |", ...columns.map(({ name, means }) => `| \`${name}\` | ${means} |`)].join("\n");

const text = `# Trades, PnL and the live report

\`\`\`sh
npx quoin trades --config quoin.yaml --from 2026-11-01 --market 1 --format csv --out november.csv
npx quoin pnl --config quoin.yaml --by month
npx quoin report --config quoin.yaml --from 2026-11-01 --out november.html
\`\`\`

\`quoin trades\` lists every fill, \`quoin pnl\` what was gained and lost, by market and source; [\`quoin report\`](#report) shows a period as a page.
All read the ledger and its archive, whether a daemon runs or not; amounts are exact. If the account's chain began again, they show the present chain.
The demo's ledger goes with its daemon: ask while it runs, or name a \`ledger.file\`.

| Option | Means |
| --- | --- |
| \`--from\`, \`--to\` | a date or time (ISO 8601, UTC unless it names a zone): from the first on, before the second; \`pnl\` counts the days that they overlap, \`report\` the hours |
| \`--market ID\` | only this market |
| \`--by day\`, \`week\`, \`month\` | \`pnl\` alone: the period of a row |
| \`--format table\`, \`csv\`, \`json\`, \`parquet\` | CSV as in RFC 4180; JSON is one object a line, as with \`--json\`; \`trades\` also has [journals](#trades) |
| \`--out FILE\` | writes it there |

## trades

${table(tradeColumns)}

The time is that of the exchange's fill; its indexed history may show it some milliseconds earlier.

\`--format hledger\` and \`--format beancount\` write a journal of the fills, with lots first in, first out, that \`hledger check --strict\` and
\`bean-check\` accept. Contracts are booked at cost against \`USDC\`, as if they were paid for; gains are those of the lots, not the exchange's
\`realizedPnl\`; funding and transfers are not in it. With \`--from\` it begins with the lots that were open then.

## pnl

${table(pnlColumns)}

[How PnL is valued](how-pnl-is-valued.md) explains the two prices and the five sources. A period ends with the last prices of its last day in the
ledger, ten seconds old at most beside a running daemon. A period with a position and no daemon counts in the next one that has prices.

## report

A live period in the look of the [backtest's report](backtest.md): PnL by day and source, at print and at mid, over time and in its worst hours;
markouts with 95 % intervals over hours; quote uptime and reasons of silence; limits neared; denials; halts; what was changed and by whom. Without
\`--out\` it prints a summary, with \`--json\` one object whose amounts are exact text. Without \`--from\` and \`--to\` it shows all that the ledger
has. Only periods of a day or more are scaled to a day, and only whole days [to a year](how-pnl-is-valued.md#a-year-and-drawdown).

How markets were quoted is in the ledger by the hour (\`--table hours\`), the newest 200,000 rows; changes and denials come from \`audit\` and
\`decisions\`. What the ledger does not have, such as hours that an earlier version wrote, or denials with \`--fleet\`, the report calls not recorded.
`;

test("docs/reports.md is as the code says (npx vitest run test/unit/cli/report-columns.test.ts -u writes it)", async () => {
  await expect(text).toMatchFileSnapshot(resolve(PROJECT, "docs/reports.md"));
});
