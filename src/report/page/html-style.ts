import { DARK, LIGHT } from './colours.ts'
import { TABLE_TOOLS } from './table-style.ts'

const tone = (name: string): string => `background:var(--${name});color:var(--${name}-ink)`

/** The page's style sheet: for light and dark screens, phones, and paper, which is always light. */
export const STYLE = `
:root{color-scheme:light;${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${DARK}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;background:var(--page);scroll-padding-top:40px}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
body{margin:0 auto;max-width:1180px;padding:28px 24px 64px;color:var(--ink);overflow-wrap:anywhere;
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif}
header{padding-bottom:10px}
h1{margin:0;font-size:30px;line-height:1.2;color:var(--head);letter-spacing:-.01em}
header p{margin:4px 0 0;color:var(--muted)}
nav{position:sticky;top:0;z-index:3;background:var(--page);border-bottom:3px solid var(--bar);overflow-x:auto}
nav ul{list-style:none;display:flex;gap:0 18px;margin:0;padding:0;font-size:14px;white-space:nowrap}
a{color:var(--link);text-decoration:none}
nav a{display:block;padding:9px 0 7px}
a:hover{text-decoration:underline}
nav a[aria-current]{color:var(--ink);font-weight:600}
:is(a,button,input):focus-visible{outline:2px solid var(--link);outline-offset:1px}
nav a:focus-visible{outline-offset:-3px}
section{padding-top:22px;content-visibility:auto;contain-intrinsic-size:auto 900px}
h2{font-size:21px;margin:0 0 12px;color:var(--head)}
h2:has(+.about){margin-bottom:2px}
.about{margin:0 0 12px;color:var(--muted)}
.about::first-letter{text-transform:uppercase}
h3,figcaption{font-size:15px;font-weight:600;text-align:left;margin:0;padding:0 0 8px;flex-basis:100%}
.blocks{display:flex;flex-wrap:wrap;gap:14px 20px;align-items:flex-start}
.blocks>*{flex:1 1 100%;min-width:0;margin:0}
.note{padding:10px 14px;border-radius:6px;border-left:4px solid currentcolor}
.note.plain{${tone('plain')}}
.note.good{${tone('good')}}
.note.warning{${tone('warning')}}
.note.bad{${tone('bad')};font-weight:600}
.note a{color:inherit;text-decoration:underline}
dl{display:grid;gap:12px;margin:0}
dl.figures{grid-template-columns:repeat(auto-fill,minmax(168px,1fr))}
@media (min-width:600px){dl.figures:has(>:nth-child(6):last-child){grid-template-columns:repeat(3,1fr)}}
@media (min-width:1100px){dl.figures:has(>:nth-child(6):last-child){grid-template-columns:repeat(6,1fr)}}
dl.figures div{display:flex;flex-direction:column;
  border:1px solid var(--rule);border-radius:8px;padding:12px 14px}
dt{color:var(--muted);font-size:13px;line-height:1.35}
dd{margin:0}
dl.figures dt{flex:1}
dl.figures dd:nth-child(2){font-size:25px;font-weight:650;line-height:1.3;
  font-variant-numeric:tabular-nums;white-space:nowrap}
dl.figures dd.long:nth-child(2){font-size:16px;white-space:normal;padding-top:6px}
dl.facts{grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:8px 24px}
dl.facts div{border-bottom:1px solid var(--rule);padding:4px 0 6px}
dl.facts dd{font-weight:600}
dd.before{font-size:12.5px;color:var(--muted)}
dd.trend svg{width:auto;max-width:100%;height:20px;margin-top:6px;fill:var(--faint)}
.trend rect:last-child{fill:var(--link)}
dd.before span{display:block;font-weight:650}
.up-good{color:var(--up-good)}.up-bad{color:var(--up-bad)}
.scroll{overflow-x:auto}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:-2px}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);padding:0}
th,td{overflow-wrap:break-word;padding:6px 10px;
  text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{background:var(--bar);color:#fff;vertical-align:bottom;font-weight:600;line-height:1.3}
tbody th{font-weight:600}
tbody th,td{max-width:340px}
tbody td:not([class]){min-width:130px}
.n{text-align:right;white-space:nowrap}
.d,.s{white-space:nowrap}
thead .n,thead .d{white-space:normal}
tbody tr:hover{background:var(--hover)}
${TABLE_TOOLS}
.pill{display:inline-block;padding:0 9px;border-radius:9px;font-size:12.5px;font-weight:600}
${['good', 'fair', 'poor', 'bad'].map((name) => `.pill.${name}{${tone(name)}}`).join('\n')}
figure{border:1px solid var(--rule);border-radius:8px;padding:14px 14px 10px}
.blocks>figure.half{flex:1 1 380px}
.half svg{max-height:380px}
svg{display:block;width:100%;height:auto;font:11.5px system-ui,"Segoe UI",Roboto,Arial,"Noto Sans",sans-serif}
svg.small{display:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;justify-content:center;gap:4px 18px;margin:6px 0 0;
  padding:0;font-size:13px;color:var(--muted)}
.legend span{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;
  vertical-align:-1px}
.none{margin:0;color:var(--muted);font-size:13.5px}
@media screen and (max-width:680px){
  figure svg{display:none}
  figure svg.small{display:block;max-width:480px;margin:auto}
}
@media (max-width:560px){
  body{padding:18px 14px 40px}
  h1{font-size:24px}
  section{padding-top:14px}
  section:first-child{padding-top:10px}
  section:first-child>h2{position:absolute;clip-path:inset(50%)}
  h2{margin-bottom:8px}
  .blocks{gap:9px}
  .note{padding:7px 11px;font-size:14px;line-height:1.4}
  dl.figures{grid-template-columns:1fr 1fr;gap:8px}
  dl.figures div{padding:9px 10px}
  dl.figures dd:nth-child(2){font-size:20px}
  th,td{padding:5px 7px}
  tbody th{min-width:110px}
  tbody td:not([class]){min-width:220px}
  .tools{flex:1 0 100%}
  .tools input{flex:1}
}
@media print{
  @page{size:A4;margin:14mm 12mm}
  @page wide{size:A4 landscape}
  section:not(:first-child):has(thead th:nth-child(9)){page:wide}
  html{print-color-adjust:exact;-webkit-print-color-adjust:exact}
  body{max-width:none;padding:0;font-size:10.5pt}
  nav,.tools,.count,.filters{display:none!important}
  .printed:not(:empty){display:block}
  .scroll.tall{max-height:none}
  thead{position:static!important}
  table{min-width:0!important;table-layout:auto!important}
  thead th{width:auto!important}
  thead button{display:contents}
  thead button::after{display:none}
  section{break-before:page;padding-top:0;content-visibility:visible}
  section:first-child{break-before:auto;padding-top:14px}
  h2,h3,.bar{break-after:avoid}
  figure,dl.figures div,tr,.note,.table:not(:has(tbody tr:nth-child(28))){break-inside:avoid}
  tbody tr:nth-child(-n+3){break-before:avoid}
  thead{display:table-header-group}
  .scroll{overflow:visible}
  h3,figcaption{padding-bottom:5px}
  .blocks{gap:7px 14px}
  .note{padding:5px 11px}
  dl.figures{gap:7px;grid-template-columns:repeat(auto-fill,minmax(110px,1fr))}
  dl.figures:has(>:nth-child(6):last-child){grid-template-columns:repeat(6,1fr)}
  dl.figures div{padding:6px 9px}
  dl.figures dt{font-size:8pt;line-height:1.25}
  dl.figures dd:nth-child(2){font-size:17px}
  dd.before{font-size:8pt}
  dd.trend svg{height:14px;margin-top:3px}
  figure{padding:7px 12px}
  .blocks>figure.half{flex-basis:300px}
  figure svg,.half svg{max-height:230px}
  .legend{margin-top:2px;font-size:8pt}
  table{font-size:8pt;line-height:1.25}
  table:has(thead th:nth-child(14)){font-size:7pt}
  th,td{padding:2px 4px}
  .pill{padding:0 6px;font-size:inherit;white-space:nowrap}
  .d,.s{white-space:normal}
  tbody td{min-width:0!important}
  tbody .d{min-width:11ch!important}
  tbody .s{min-width:9ch!important}
}
`

/** Adds to `STYLE` what a page for paper alone needs. */
export const PAPER_STYLE = `
@page{margin:11mm 12mm 13mm;@bottom-right{content:counter(page) " / " counter(pages);
  font:8pt system-ui,"Segoe UI",Roboto,Arial,"Noto Sans",sans-serif;color:#5b6472}}
body{font-size:9.5pt;line-height:1.4}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:0 18px;padding:0}
h1{font-size:24px}
main{padding-right:1px}
section:first-child{padding-top:6px}
section:first-child>h2{display:none}
figure svg{max-height:200px}
.half svg{max-height:180px}
tbody td:not([class]){min-width:240px!important}
.parts{break-inside:avoid;margin-top:9px;font-size:8pt;line-height:1.3}
.parts ul{columns:3;column-gap:18px;list-style:none;margin:0;padding:0}
.parts li{break-inside:avoid;padding:1.5px 0}
`
