import { HEADER, INK, MUTED, RULE, TINTS } from '../palette.ts'

const tone = (name: string): string => {
  const { fill = 'FFFFFF', text = INK } = TINTS[name] ?? {}
  return `background:#${fill};color:#${text}`
}

/** The page's one style sheet: for the screen, the phone and paper. */
export const STYLE = `
:root{--ink:#${INK};--muted:#${MUTED};--rule:#${RULE};--head:#${HEADER};--good:#17633f;--bad:#a61b0f}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0 auto;max-width:1180px;padding:28px 24px 64px;color:var(--ink);background:#fff;
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif}
header{border-bottom:3px solid var(--head);padding-bottom:14px;margin-bottom:8px}
h1{margin:0;font-size:30px;line-height:1.2;color:var(--head);letter-spacing:-.01em}
header p{margin:4px 0 0;color:var(--muted)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:14px 0 0;padding:0;font-size:14px}
a{color:#2f6fb3;text-decoration:none}
a:hover,a:focus{text-decoration:underline}
section{padding-top:22px}
h2{font-size:21px;margin:0 0 12px;color:var(--head)}
h3,caption,figcaption{font-size:15px;font-weight:600;text-align:left;margin:0;padding:0 0 8px;flex-basis:100%}
.blocks{display:flex;flex-wrap:wrap;gap:14px 20px;align-items:flex-start}
.blocks>*{flex:1 1 100%;min-width:0;margin:0}
.note{padding:10px 14px;border-radius:6px;border-left:4px solid currentcolor}
.note.plain{${tone('plain')}}
.note.good{${tone('good')}}
.note.warning{${tone('warning')}}
.note.bad{${tone('bad')};font-weight:600}
dl{display:grid;gap:12px;margin:0}
dl.figures{grid-template-columns:repeat(auto-fill,minmax(184px,1fr))}
dl.figures div{border:1px solid var(--rule);border-radius:8px;padding:12px 14px}
dt{color:var(--muted);font-size:13px;line-height:1.35}
dd{margin:0}
dl.figures dd:nth-child(2){font-size:25px;font-weight:650;line-height:1.3;
  font-variant-numeric:tabular-nums;white-space:nowrap}
dl.figures dd.long:nth-child(2){font-size:16px;white-space:normal;padding-top:6px;overflow-wrap:anywhere}
dl.facts{grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:8px 24px}
dl.facts div{border-bottom:1px solid var(--rule);padding:4px 0 6px}
dl.facts dd{font-weight:600;overflow-wrap:anywhere}
dd.before{font-size:12.5px;color:var(--muted)}
dd.before span{display:block;font-weight:650}
.up-good{color:var(--good)}.up-bad{color:var(--bad)}
.scroll{overflow-x:auto}
.scroll:focus-visible{outline:2px solid #2f6fb3;outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
caption.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);padding:0}
th,td{padding:6px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{background:var(--head);color:#fff;vertical-align:bottom;font-weight:600;line-height:1.3}
tbody th{font-weight:600}
tbody th,td{overflow-wrap:break-word;max-width:340px}
.n{text-align:right;white-space:nowrap}
.d,.s{white-space:nowrap}
thead .n,thead .d{white-space:normal}
tbody tr:hover{background:#f8fafc}
.pill{display:inline-block;padding:0 9px;border-radius:9px;font-size:12.5px;font-weight:600}
${['good', 'fair', 'poor', 'bad'].map((name) => `.pill.${name}{${tone(name)}}`).join('\n')}
figure{border:1px solid var(--rule);border-radius:8px;padding:14px 14px 10px}
.blocks>figure.half{flex:1 1 380px}
svg{display:block;width:100%;height:auto;font:11.5px system-ui,"Segoe UI",Roboto,Arial,"Noto Sans",sans-serif}
.legend{list-style:none;display:flex;flex-wrap:wrap;justify-content:center;gap:4px 18px;margin:6px 0 0;
  padding:0;font-size:13px;color:var(--muted)}
.legend span{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;
  vertical-align:-1px}
.none{margin:0}
.none,footer{color:var(--muted);font-size:13.5px}
footer{margin-top:32px;border-top:1px solid var(--rule)}
@media (max-width:560px){
  body{padding:18px 14px 40px}
  h1{font-size:24px}
  dl.figures{grid-template-columns:1fr 1fr;gap:8px}
  dl.figures div{padding:9px 10px}
  dl.figures dd:nth-child(2){font-size:20px}
  th,td{padding:5px 7px}
}
@media print{
  @page{size:A4;margin:14mm 12mm}
  html{print-color-adjust:exact;-webkit-print-color-adjust:exact}
  body{max-width:none;padding:0;font-size:10.5pt}
  nav{display:none}
  section{break-before:page;padding-top:0}
  section:first-child{break-before:auto;padding-top:14px}
  h2,h3,caption{break-after:avoid}
  figure,dl.figures div,tr,.note{break-inside:avoid}
  thead{display:table-header-group}
  .scroll{overflow:visible}
  svg{min-width:0!important}
  table{font-size:8.5pt}
  th,td{padding:3px 5px}
  .d,.s{white-space:normal}
}
`
