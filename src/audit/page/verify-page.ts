import { readFile } from 'node:fs/promises'
import { ConfigurationError } from '../../core/errors.ts'
import { contentHash } from '../../report/page/content-hash.ts'

/**
 * A page that checks a bundle in the recipient's browser, without an installation. It is self-contained: it
 * works from disk, and fetches and sends nothing.
 */
export async function verifyPage(): Promise<string> {
  const script = await (made ??= scriptOfPage())
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy(script)}">
<meta name="color-scheme" content="light dark">
<title>Verify an evidence bundle</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Verify an evidence bundle</h1>
<p class="note plain">If this page came with the bundle, whoever made the bundle also made the page. If in
doubt, get the page from somebody you trust: <code>callsheet verify --page FILE</code> writes it.</p>
<p>Choose the ZIP file. Your browser checks it here and sends it nowhere.</p>
<p class="field"><label for="file">Bundle (ZIP file)</label><input type="file" id="file" accept=".zip"></p>
<p class="field"><label for="key">Fingerprint of the key, received through another channel</label>
<input id="key" spellcheck="false" autocomplete="off" maxlength="64"></p>
<p class="field"><label for="checkpoint">Newest checkpoint that you saved, if any (SIZE:ROOT)</label>
<input id="checkpoint" spellcheck="false" autocomplete="off" maxlength="64"></p>
<details><summary>Account and trusted witnesses (optional)</summary>
<p class="field"><label for="account">Account that the bundle must belong to</label>
<input id="account" spellcheck="false" autocomplete="off" maxlength="200"></p>
<p class="field">
<label for="witnesses">Verifier keys of trusted witnesses (as published), one per line</label>
<textarea id="witnesses" spellcheck="false" autocomplete="off" rows="3"></textarea></p>
<p class="field"><label for="needed">How many of them must have cosigned (default: all)</label>
<input id="needed" inputmode="numeric" autocomplete="off" maxlength="3"></p></details>
<div id="result" role="status"><noscript><p class="note warning">This page needs JavaScript. Without it,
follow the steps for a shell in CHECK.txt, which is in the bundle.</p></noscript></div>
</main>
<script>${script}</script>
</body>
</html>
`
}

function policy(script: string): string {
  const own = `script-src '${contentHash(script)}'; style-src '${contentHash(STYLE)}'`
  return `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'`
}

let made: Promise<string> | undefined

/** The package includes the built script; a clone builds it from source on demand. */
async function scriptOfPage(): Promise<string> {
  try {
    return await readFile(new URL('./browser/verify-bundle.js', import.meta.url), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const maker = new URL('../../../rolldown.config.ts', import.meta.url).href
  try {
    const { verifyScript } = (await import(maker)) as { verifyScript(): Promise<string> }
    return await verifyScript()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigurationError('page_not_made', {
      tried: 'Creating the page that verifies bundles',
      came: 'the package rolldown is not installed in this clone',
      todo: 'run npm ci without --omit=dev',
      cause: error,
    })
  }
}

const STYLE = `:root{color-scheme:light dark;
--page:light-dark(#fff,#12181f);--ink:light-dark(#1f2933,#e4e9ee);
--muted:light-dark(#52606d,#a3b0bd);--rule:light-dark(#d5dce3,#36424e);
--good:light-dark(#def3e6,#143524);--good-ink:light-dark(#145c36,#a4e0bd);
--warning:light-dark(#fdf3d1,#3b300f);--warning-ink:light-dark(#6b4e00,#f0d98a);
--bad:light-dark(#f9d9d5,#4a1b17);--bad-ink:light-dark(#8a1c12,#ffc9c2);
--plain:light-dark(#f1f5f9,#202a35);--plain-ink:light-dark(#323f4b,#cfd8e1)}
body{margin:0 auto;max-width:860px;padding:28px 20px 60px;background:var(--page);color:var(--ink);
overflow-wrap:anywhere;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
h1{font-size:27px;margin:0 0 8px}h2{font-size:19px;margin:26px 0 8px}
.field{margin:14px 0;display:flex;flex-direction:column;gap:4px}label,summary{font-weight:600}
summary{cursor:pointer}input,textarea{font:inherit;padding:7px 9px;border:1px solid var(--muted);
border-radius:6px;background:var(--page);
color:var(--ink);max-width:100%;box-sizing:border-box}
#key,#checkpoint,#witnesses{font-family:ui-monospace,monospace;font-size:14px}
:is(input,textarea,summary):focus-visible{outline:2px solid var(--ink);outline-offset:1px}
.note{padding:11px 14px;border-radius:6px;border-left:4px solid currentcolor}
.plain{background:var(--plain);color:var(--plain-ink)}.good{background:var(--good);color:var(--good-ink)}
.warning{background:var(--warning);color:var(--warning-ink)}
.bad{background:var(--bad);color:var(--bad-ink);font-weight:600}
ul{padding-left:22px}dl{display:grid;grid-template-columns:minmax(9em,auto) 1fr;gap:6px 16px;margin:0}
dt{color:var(--muted)}dd{margin:0}code{font-size:14px}`
