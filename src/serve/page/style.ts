/** The style sheet, with the colors of the reports, in light and dark, for phones and screens. */
export const STYLE = `
:root{color-scheme:light dark;--page:#fff;--card:#fff;--ink:#1f2937;--muted:#5b6472;--rule:#e5e7eb;
  --head:#1f3a5f;--bar:#1f3a5f;--link:#2563a8;--hover:#f8fafc;
  --good:#ddf3e7;--good-ink:#17633f;--fair:#fdf3d3;--fair-ink:#7a5b00;--bad:#f8d7d3;--bad-ink:#8e1f14;
  --plain:#f3f6fa;--plain-ink:#334155}
@media (prefers-color-scheme:dark){
  :root{--page:#10161f;--card:#161e2a;--ink:#e5e9f0;--muted:#a7b2c1;--rule:#2c384a;--head:#a9cbf3;
    --bar:#1f3a5f;--link:#8bbcf0;--hover:#1a2433;
    --good:#133a2a;--good-ink:#97e3bb;--fair:#3d3213;--fair-ink:#f5d88a;--bad:#4b1d18;--bad-ink:#ffbcb2;
    --plain:#222d3d;--plain-ink:#d0d8e3}
}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;background:var(--page)}
body{margin:0 auto;max-width:1180px;padding:0 24px 48px;color:var(--ink);overflow-wrap:anywhere;
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 28px;padding:16px 0 12px;
  border-bottom:3px solid var(--bar)}
.brand{font-size:19px;font-weight:700;color:var(--head);letter-spacing:-.01em}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 20px;margin:0;padding:0}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
p a,li a,dd a,th a,td a{text-decoration:underline;text-underline-offset:2px}
nav li a{display:inline-block;padding:3px 0;text-decoration:none}
nav a[aria-current]{font-weight:650;color:var(--ink)}
a:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
h1{margin:22px 0 6px;font-size:28px;line-height:1.2;color:var(--head);letter-spacing:-.01em}
h2{font-size:20px;margin:0 0 10px;color:var(--head)}
section{padding-top:26px}
.lead{margin:0 0 14px;color:var(--muted)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:16px;
  align-items:start}
.card{border:1px solid var(--rule);border-radius:10px;padding:16px 18px;background:var(--card)}
.card h2{display:flex;flex-wrap:wrap;align-items:center;gap:6px 10px}
.causes{list-style:none;margin:0 0 14px;padding:0;display:grid;gap:8px}
.causes p,.note{margin:0}
.note{padding:10px 14px;border-radius:6px;border-left:4px solid currentcolor;margin-bottom:10px}
.causes .note{margin:0}
.since{font-size:13px}
.good{background:var(--good);color:var(--good-ink)}
.fair{background:var(--fair);color:var(--fair-ink)}
.bad{background:var(--bad);color:var(--bad-ink)}
.plain{background:var(--plain);color:var(--plain-ink)}
.note a,.note code{color:inherit}
.pill{display:inline-block;padding:1px 10px;border-radius:10px;font-size:12.5px;font-weight:600;
  white-space:nowrap}
dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,240px),1fr));gap:6px 24px;
  margin:0}
dl.facts div{border-top:1px solid var(--rule);padding:6px 0}
dt{color:var(--muted);font-size:13px;line-height:1.35}
dd{margin:0;font-weight:600}
.scroll{overflow-x:auto;margin-bottom:16px}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 8px;color:var(--muted);font-size:13.5px}
caption span{display:block;position:sticky;left:0;max-width:calc(100vw - 28px)}
th,td{padding:6px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{background:var(--bar);color:#fff;vertical-align:bottom;font-weight:600;line-height:1.3;
  overflow-wrap:normal}
tbody th{font-weight:600}
tbody tr:hover,tbody tr:hover th{background:var(--hover)}
th,td{overflow-wrap:break-word;max-width:460px}
tbody th{position:sticky;left:0;background:var(--page)}
th.n,td.n{text-align:right;white-space:nowrap}
thead th.n{white-space:normal}
code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
  background:var(--plain);color:var(--plain-ink);
  padding:1px 5px;border-radius:4px}
.note code{background:none;padding:0;font-weight:650}
time,code,td:has(meter){white-space:nowrap}
meter{width:90px;height:10px;vertical-align:middle}
.problems{margin:0 0 16px;padding-left:20px}
.problems li{margin-bottom:6px}
footer{margin-top:32px;border-top:1px solid var(--rule);color:var(--muted);font-size:13.5px}
@media (max-width:560px){
  body{padding:0 14px 32px}
  h1{font-size:23px}
  .card{padding:13px 14px}
  meter{width:56px}
  th,td{padding:5px 7px;max-width:300px}
  tbody th{max-width:132px}
}
`

/** The icon: three strips of days. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="6" fill="#1f3a5f"/>
<path d="M6 9h20M6 16h14M6 23h17" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
`
