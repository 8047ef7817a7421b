// How the report looks: one sheet, light or dark as the reader's system is, and on paper always light.

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --rule: #d5dae2; --page: #fff; --card: #f6f7f9;
  --c0: #1f6feb; --c1: #d97706; --c2: #0f9d76; --c3: #b4339b; --c4: #6b7280; --c5: #c0362c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4; --rule: #343c48; --page: #12161c; --card: #1a2028;
  --c0: #6ea8fe; --c1: #f2b04b; --c2: #4fd1a5; --c3: #e58bd3; --c4: #a0a8b4; --c5: #f28b82; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --rule: #bbb; --page: #fff; --card: #fff;
  --c0: #1f6feb; --c1: #b45309; --c2: #0b7a5b; --c3: #8a2577; --c4: #555; --c5: #9b2c22; }
  figure, table, section > h2 { break-inside: avoid; } details { display: none; } body { font-size: 10pt; } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 0; }
p { margin: .3rem 0; } figcaption p, caption, .soft { color: var(--soft); }
figure { margin: 1rem 0; padding: .75rem 1rem; background: var(--card); border-radius: .5rem; }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; } svg text { fill: var(--soft); }
.mid { text-anchor: middle; } .end { text-anchor: end; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0; width: 100%; }
caption { text-align: left; padding: .2rem 0; } th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--rule); text-align: right; }
th:first-child { text-align: left; white-space: nowrap; } thead th { color: var(--soft); font-weight: 600; }
.grid { stroke: var(--rule); stroke-width: .6; } .zero { stroke: var(--soft); stroke-width: 1; }
polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round; } .faint { stroke: var(--c4); stroke-width: .6; opacity: .45; }
${["0", "1", "2", "3", "4", "5"].map((n) => `.l${n} { stroke: var(--c${n}); } .b${n} { fill: var(--c${n}); } .a${n} { fill: var(--c${n}); opacity: .18; }`).join("\n")}
.gain { fill: var(--c2); } .loss { fill: var(--c5); } .none { fill: var(--rule); }
.flags li { margin: .2rem 0; } summary { cursor: pointer; color: var(--soft); }
`;
