/** The page's style. Dark is for screens alone: paper is light. */
export const styles = `
:root { color-scheme: light dark;
  --paper: #fff; --ink: #1c2128; --muted: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #0550ae;
  --held: #116329; --held-paper: #dafbe1; --unknown: #7a4b00; --unknown-paper: #fff3c4;
  --violated: #a40e26; --violated-paper: #ffe0e0;
  --approval: #0550ae; --attempt: #6e40aa; --effect: #116329; --fault: #c01c28; --recovery: #9a5b00; }
@media screen and (prefers-color-scheme: dark) { :root {
  --paper: #0f1419; --ink: #e6edf3; --muted: #a0abb7; --line: #3a434d; --panel: #182029; --link: #79b8ff;
  --held: #7ee2a0; --held-paper: #12341f; --unknown: #f2cc60; --unknown-paper: #3b2f0b;
  --violated: #ffa198; --violated-paper: #471a1d;
  --approval: #79b8ff; --attempt: #c9a6ff; --effect: #7ee2a0; --fault: #ff8078; --recovery: #f0b55c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
dd, li, td.mono, td.text { overflow-wrap: anywhere; }
h1, h2, h3, h4, h5 { line-height: 1.25; margin: 2em 0 .5em; break-after: avoid; }
h1 { margin-top: 0; font-size: 1.8rem; } h2 { font-size: 1.4rem; } h3 { font-size: 1.2rem; }
h4 { font-size: 1.05rem; } h5 { font-size: 1rem; margin-top: 1.2em; }
h3 { border-top: 2px solid var(--line); padding-top: .8em; }
p, dl, ul, ol, table { margin: .5em 0; }
a { color: var(--link); } a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); }
code, .mono { font-family: ui-monospace, monospace; font-size: .92em; }
.note, .back { color: var(--muted); font-size: .9em; }
.warning { border: 2px solid var(--violated); padding: .6em 1em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--muted); padding-bottom: .3em; }
th, td { border: 1px solid var(--line); padding: .3em .6em; text-align: left; vertical-align: top; }
thead th, th[scope=rowgroup] { background: var(--panel); }
table.judgements th[scope=row] { width: 34%; font-weight: 400; }
.matrix td { white-space: nowrap; } .matrix td a { display: block; }
.share { color: var(--muted); font-size: .85em; }
td.held, .tag.held { background: var(--held-paper); color: var(--held); }
td.unknown, .tag.unknown { background: var(--unknown-paper); color: var(--unknown); }
td.violated, .tag.violated { background: var(--violated-paper); color: var(--violated); font-weight: 600; }
td.held a, td.unknown a, td.violated a { color: inherit; }
td.not-applicable, td.not-run { color: var(--muted); }
.tag { padding: .1em .5em; border-radius: .3em; font-weight: 600; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: .15em 1em; }
dt { color: var(--muted); } dd { margin: 0; }
dl.facts { display: flex; flex-wrap: wrap; gap: .2em 1.6em; } .facts div { display: flex; gap: .5em; }
figure { margin: 1em 0; }
article { margin: 1em 0 2em; padding-left: 1em; border-left: 4px solid var(--line); }
.picture { overflow-x: auto; }
.picture svg { min-width: 44rem; width: 100%; height: auto; font: 10px ui-monospace, monospace; fill: var(--ink); }
.mark.approval { fill: var(--approval); } .mark.attempt { fill: var(--attempt); } .mark.effect { fill: var(--effect); }
.mark.fault { fill: var(--fault); } .mark.recovery { fill: var(--recovery); } .mark.other { fill: var(--muted); }
.picture text { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
.rule, .tick, .cut, .fault-line { fill: none; stroke: var(--line); }
.tick { stroke-dasharray: 1 4; } .cut { stroke: var(--muted); } .fault-line { stroke: var(--fault); stroke-dasharray: 5 3; }
.axis, .lane { fill: var(--muted); } .lane { font-size: 12px; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3em 1.2em; }
.key { width: 1em; height: 1em; vertical-align: -.1em; }
summary { cursor: pointer; color: var(--link); }
@page { margin: 14mm; }
@media print {
  body { max-width: none; padding: 0 2px; font-size: 10pt; }
  a { color: inherit; text-decoration: none; } .back, summary { display: none; }
  .wide, .picture { overflow: visible; } .picture svg { min-width: 0; }
  .matrix td { white-space: normal; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; } h3 { font-size: 1.05rem; }
  tr, .picture { break-inside: avoid; } thead { display: table-header-group; }
  details::details-content { display: block; content-visibility: visible; block-size: auto; }
  td, th, .tag, .mark { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
