// The page: one file, no build, no request beyond the daemon. It asks for the status each second and draws it as tables.

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --soft: #888; }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --bad: #ff7b72; } }
* { box-sizing: border-box; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 0 auto; padding: 1.2rem; max-width: 1180px; }
header { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: baseline; border-bottom: 1px solid var(--line); padding-bottom: .6rem; }
h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; } h3 { font-size: 1rem; margin: 0 0 .5rem; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
.markets { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 1rem; }
.market { border: 1px solid var(--line); border-radius: 8px; padding: .9rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { padding: .12rem .4rem .12rem 0; text-align: right; } td:first-child, th:first-child { text-align: left; }
th { font-weight: 500; color: var(--soft); }
.gates { display: flex; flex-wrap: wrap; gap: .3rem; margin: .6rem 0 0; padding: 0; list-style: none; }
.gates li { border: 1px solid var(--line); border-radius: 999px; padding: 0 .55rem; font-size: 12px; }
.gates li.bad { border-color: var(--bad); }
`;

const SCRIPT = `
const view = document.getElementById("view");
const text = (value) => String(value).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
const usd = (value, digits = 2) => value === null ? "—" : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const signed = (value, digits = 2) => (value > 0 ? "+" : "") + usd(value, digits);
const tone = (value) => value > 0 ? "good" : value < 0 ? "bad" : "";
const ladder = (orders, side) => orders.map((o) => "<tr><td>" + side + "</td><td>" + usd(o.price) + "</td><td>" + usd(o.size, 3) + "</td><td class=soft>" + text(o.state) + "</td></tr>");
const pnl = (p) => ["spread", "inventory", "funding", "fees", "total"].map((k) => "<tr><td>" + k + "</td><td class='" + tone(p[k]) + "'>" + signed(p[k]) + "</td></tr>").join("");
// An open gate is named by what it found: a green "halted" would read as its opposite.
const openNames = { halted: "not halted", reducing: "not reducing" };
const gate = (g) => "<li class='" + (g.open ? "good" : "bad") + "' title='" + text(g.reason ?? "open") + "'>" + text(g.open ? openNames[g.gate] ?? g.gate : g.gate + ": " + g.reason) + "</li>";
const market = (m) => "<section class=market><h3>" + text(m.name) + " <span class=soft>market " + m.marketId + " · " + text(m.strategy) + "</span> <span class='" + (m.state === "active" ? "good" : "bad") + "'>" + text(m.state) + "</span></h3>"
  + "<table><tr><td>position</td><td>" + signed(m.position, 3) + "</td></tr><tr><td>oracle price</td><td>" + usd(m.oraclePrice) + "</td></tr>"
  + "<tr><td>best bid / ask</td><td>" + usd(m.bestBid) + " / " + usd(m.bestAsk) + "</td></tr><tr><td>fair value</td><td>" + usd(m.fairValue, 4) + "</td></tr>"
  + "<tr><td>fills</td><td>" + m.fillCount + "</td></tr><tr><td>unknown orders</td><td class='" + (m.unknownOrders ? "bad" : "") + "'>" + m.unknownOrders + "</td></tr></table>"
  + "<h4>Our orders</h4><table><tr><th>side</th><th>price</th><th>size</th><th>state</th></tr>" + [...ladder([...m.asks].reverse(), "ask"), ...ladder(m.bids, "bid")].join("") + "</table>"
  + (m.quotesReason ? "<p class=soft>" + text(m.quotesReason) + "</p>" : "") + "<h4>PnL, USDC</h4><table>" + pnl(m.pnl) + "</table><ul class=gates>" + m.gates.map(gate).join("") + "</ul></section>";
const account = (a) => "<h2>Account " + text(a.accountId) + " <span class=soft>equity " + usd(a.equityUsdc) + " USDC · margin ratio " + (a.marginRatio === null ? "—" : usd(a.marginRatio)) + "</span>"
  + (a.latches.length ? " <span class=bad>halted: " + a.latches.map(text).join(", ") + "</span>" : "") + "</h2><div class=markets>" + a.markets.map(market).join("") + "</div>";
function draw(s) {
  const state = s.reasons.length === 0 ? "<span class=good>ready</span>" : "<span class=bad>not ready: " + s.reasons.map(text).join("; ") + "</span>";
  view.innerHTML = "<header><h1>Quoin</h1>" + state + "<span class=soft>" + text(s.phase) + " · " + text(s.chainId) + " · height " + (s.height ?? "—") + " · clock " + (s.chainTimeOffsetMs === null ? "—" : Math.round(s.chainTimeOffsetMs) + " ms") + " · config " + text(s.config) + " · " + text(s.version) + "</span></header>" + s.accounts.map(account).join("");
}
async function refresh() {
  try { draw(await (await fetch("status.json", { cache: "no-store" })).json()); document.title = "Quoin"; }
  catch { document.title = "Quoin: no answer"; view.querySelector("header > span")?.replaceWith(Object.assign(document.createElement("span"), { className: "bad", textContent: "the daemon does not answer" })); }
  setTimeout(refresh, 1000);
}
refresh();
`;

/** The whole page; everything else comes from `status.json` beside it. */
export const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Quoin</title>
<style>${STYLE}</style></head><body><main id="view"><header><h1>Quoin</h1><span class="soft">asking the daemon…</span></header></main>
<script>${SCRIPT}</script></body></html>
`;
