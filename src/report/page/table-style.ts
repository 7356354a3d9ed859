/** Styles for the parts that the script adds to a table: tools, header buttons, filters, lines. */
export const TABLE_TOOLS = `
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:6px 12px;padding-bottom:8px;font-size:13.5px}
.bar:empty{display:none}
.bar h3{flex:0 1 auto;padding:0}
.tools{display:flex;gap:8px}
.count{margin-right:auto;color:var(--muted);font-variant-numeric:tabular-nums}
input,.tools button{font:inherit;color:inherit;background:var(--field);border:1px solid var(--axis);
  border-radius:6px;padding:3px 9px;min-width:0}
.tools input{width:190px}
.tools button{cursor:pointer;white-space:nowrap}
.tools button[aria-expanded=true]{background:var(--plain);color:var(--plain-ink)}
::placeholder{color:var(--muted);opacity:1}
thead button{all:unset;cursor:pointer;display:inline-block;padding-right:15px;position:relative}
thead button:focus-visible{outline:2px solid #fff;outline-offset:2px}
thead button::after{content:"";position:absolute;right:0;bottom:.2em;border:4px solid transparent;opacity:.45;
  border-bottom-color:currentcolor;translate:0 -2px}
[aria-sort=ascending] button::after{opacity:1}
[aria-sort=descending] button::after{opacity:1;border-color:currentcolor transparent transparent;
  translate:0 2px}
thead button:hover{text-decoration:underline}
.filters td{background:var(--plain);padding:4px 5px}
.filters input{width:100%;min-width:76px;font-weight:400;padding:2px 6px}
.tall{max-height:min(75vh,900px);overflow:auto;border-bottom:1px solid var(--rule)}
.tall thead{position:sticky;top:0;z-index:1}
.lines tbody :is(th,td){height:30px;line-height:18px;padding-top:5px;padding-bottom:5px;white-space:nowrap;
  overflow:hidden;text-overflow:ellipsis}
.gap td,.lines tbody .gap td{padding:0;border:0}
tbody .gap:hover{background:none}
.printed{display:none}
`
