// The frame of a report: one HTML page without external files that opens from disk.

import { embedded } from "./embed.ts";
import { escaped } from "./markup.ts";
import { chartData, type TimeChart } from "./time-chart.ts";

const ICON = "data:image/svg+xml,";

export type ReportPage = {
  readonly title: string;
  /** The top bar. */
  readonly top: string;
  readonly main: string;
  /** Command that makes the report again. */
  readonly command: string;
  /** Charts over time, which must be in `main`. */
  readonly charts: readonly TimeChart[];
};

/** `top` and `main` are markup, the rest is text. Throws what reading the look throws. */
export function reportPage({ title, top, main, command, charts }: ReportPage): string {
  const { policy, style, scripts, icon } = embedded();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${escaped(title)}</title>
<link rel="icon" href="${ICON}${encodeURIComponent(icon)}">
${style}
</head>
<body>
${top}
<main class="body">
${main}
</main>
<footer class="body soft"><p>Made again by <code>${escaped(command)}</code></p><p>Charts by <a href="https://www.tradingview.com/" rel="noreferrer">TradingView Lightweight Charts™</a>, Apache License 2.0, inside this file; it loads nothing.</p></footer>
<script type="application/json" id="charts">${chartData(charts)}</script>
${scripts}
</body>
</html>
`;
}
