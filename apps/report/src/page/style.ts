/**
 * The page's whole style. Colours have names here and nowhere else; texts stand out from their ground by 4.5 to 1 at least, marks by 3 to 1,
 * in light and in dark, which a test checks in a browser.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --ground: #f4f5f7; --card: #ffffff; --text: #1a2028; --text-soft: #4d5866; --rule: #e4e7eb; --axis: #7d8794; --faint: #8a95a3;
  --grey: #77818d; --teal: #0b8276; --blue: #2a67c7; --violet: #7c4fc4; --orange: #bf5b0b; --red: #c4303c; --limit: #1a2028;
  --clear: #0b6b4f; --clear-ground: #e3f4ec; --unclear: #855300; --unclear-ground: #fdf1d8; --against: #ab2430; --against-ground: #fce8e8;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1116; --card: #171c23; --text: #e8ecf1; --text-soft: #a9b4c1; --rule: #2a313b; --axis: #7f8b99; --faint: #66727f;
    --grey: #93a0ae; --teal: #38c2ae; --blue: #74a9f7; --violet: #b394f0; --orange: #f0994a; --red: #f8777d; --limit: #e8ecf1;
    --clear: #6fdcb0; --clear-ground: #123127; --unclear: #f2c46b; --unclear-ground: #362a10; --against: #ff9a9d; --against-ground: #3d1a1e;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 var(--font); }
main { max-width: 1160px; margin: 0 auto; padding: 28px 20px 56px; }
h1, h2, h3, p, figure, ul { margin: 0; }
h1 { font-size: 26px; line-height: 1.25; letter-spacing: -0.01em; }
h2 { font-size: 19px; line-height: 1.3; margin: 44px 0 14px; }
h3 { font-size: 14px; line-height: 1.35; font-weight: 650; overflow-wrap: anywhere; }
p.period { color: var(--text-soft); margin-top: 4px; }
p.headline { font-size: 17px; font-weight: 600; margin: 4px 0 12px; max-width: 75ch; }
p.lead { margin-bottom: 12px; }
.note { color: var(--text-soft); font-size: 13px; margin-top: 8px; overflow-wrap: anywhere; }
.card, figure, .table { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 16px 18px; min-width: 0; }
.verdict { margin-top: 20px; border-left: 5px solid var(--state); }
.verdict h2 { margin: 0 0 6px; font-size: 14px; color: var(--text-soft); font-weight: 600; }
.verdict .summary { font-size: 18px; line-height: 1.4; font-weight: 650; color: var(--state); }
.clear { --state: var(--clear); --state-ground: var(--clear-ground); }
.unclear { --state: var(--unclear); --state-ground: var(--unclear-ground); }
.against { --state: var(--against); --state-ground: var(--against-ground); }
.badge { display: inline-block; min-width: 76px; text-align: center; padding: 1px 8px; border-radius: 999px; font-size: 12px; font-weight: 650; color: var(--state); background: var(--state-ground); }
.findings { list-style: none; padding: 0; margin-top: 12px; }
.findings li { display: grid; grid-template-columns: 92px minmax(0, 5fr) minmax(0, 5fr) minmax(0, 4fr); gap: 4px 14px; padding: 7px 0; border-top: 1px solid var(--rule); align-items: baseline; font-size: 14px; }
.findings .value { font-variant-numeric: tabular-nums; }
.findings .limit { color: var(--text-soft); }
.notes { margin-top: 12px; padding-left: 18px; color: var(--text-soft); font-size: 13px; }
.notes li { margin-top: 4px; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px; margin-top: 14px; }
.tile { display: flex; flex-direction: column; }
.tile .label { color: var(--text-soft); font-size: 13px; }
.tile .value { font-size: 25px; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; margin-top: 2px; }
.tile .detail { color: var(--text-soft); font-size: 12px; margin-top: 2px; }
.grid { columns: 2; column-gap: 14px; }
.grid > * { break-inside: avoid; margin-bottom: 14px; }
.grid > .broad { column-span: all; margin-top: 14px; }
.broad table { width: auto; min-width: min(100%, 760px); }
figcaption { display: flex; flex-wrap: wrap; gap: 4px 16px; justify-content: space-between; margin-bottom: 10px; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; color: var(--text-soft); }
.legend li { display: flex; align-items: center; gap: 6px; }
.key { width: 11px; height: 11px; border-radius: 3px; flex: none; }
figure svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
.scroll { overflow-x: auto; margin-top: 8px; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 0 5px 14px; text-align: right; white-space: nowrap; vertical-align: top; font-weight: 400; }
th:first-child, td:first-child { padding-left: 0; }
th.text, td.text { text-align: left; white-space: normal; overflow-wrap: break-word; min-width: 4em; max-width: 22em; }
thead th { color: var(--text-soft); font-weight: 600; white-space: nowrap; vertical-align: bottom; }
thead th.text { min-width: 0; overflow-wrap: normal; }
tbody tr { border-top: 1px solid var(--rule); }
details { margin-top: 8px; font-size: 13px; }
summary { cursor: pointer; color: var(--text-soft); }
details .table { border: 0; padding: 8px 0 0; }
details .table h3 { display: none; }
details .scroll { max-height: 320px; overflow-y: auto; }
footer { margin-top: 40px; color: var(--text-soft); font-size: 13px; }
@media (max-width: 1080px) {
  .grid { columns: 1; }
  figure .wide { max-width: 640px; }
}
@media (max-width: 600px) {
  main { padding: 20px 12px 40px; }
  h1 { font-size: 22px; }
  h2 { margin-top: 34px; }
  .card, figure, .table { padding: 13px 13px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .tile .value { font-size: 21px; }
  .findings li { grid-template-columns: 84px minmax(0, 1fr); }
  .findings .value, .findings .limit { grid-column: 2; }
  .wide { display: none; }
  .narrow { display: block; }
  .narrow svg { max-width: 400px; }
  th, td { padding-left: 12px; }
  th.text:first-child { min-width: 9em; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 12px; }
  main { max-width: none; padding: 0; }
  h2 { margin-top: 24px; break-after: avoid; }
  h3 { font-size: 12px; }
  .grid { columns: 2; }
  .card, figure, .table { padding: 10px 12px; }
  .card, figure, .table, tr { break-inside: avoid; }
  .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .note { font-size: 10.5px; }
  .scroll { overflow: visible; }
  table { font-size: 10px; }
  th, td { padding-left: 7px; }
  th.text, td.text { min-width: 3em; }
  details { display: none; }
}
`;
