import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Cell, Table } from '../../../src/core/define/report.ts'
import { AWKWARD } from './document.ts'
import { DRAWN, documentOf, RUNS_HERE, usePages } from './page-stage.ts'

const BREAK_OUT = [
  '</script><script>alert(1)</script>',
  '</SCRIPT ><img src=x onerror=alert(2)>',
  '<!--<script>',
  '<!-- </script> --><svg onload=alert(3)>',
  ']]></td></table><h1>out</h1>',
  '"><script>alert(4)</script>',
  "'+alert(5)+'",
  '\\u003cscript>alert(6)\\u003c/script>',
  'a\u2028b\u2029c',
  '&lt;b&gt; &amp;amp; &#60;',
  'C:\\new\\table "quoted" \\',
  '__proto__',
  '\u202egnp.exe',
  'endless'.repeat(60_000),
  ...AWKWARD,
]
/** Enough rows for several data elements, and too many for the script to draw at once. */
const ROWS = Array.from({ length: 300 }, (_none, at): Cell[] => [
  BREAK_OUT[at % BREAK_OUT.length] ?? '',
  at,
])
const hostile = (title: string): Table => ({
  kind: 'table',
  title,
  columns: [
    { name: 'text', title: `Text ${title}`, format: 'text' },
    { name: 'state', title: 'State', format: 'text', tint: 'state' },
  ],
  rows: ROWS,
})

const stage = RUNS_HERE ? usePages() : undefined

async function opened(title = 'List') {
  if (stage === undefined) throw new Error('there is no browser')
  return await stage.open(hostile(title))
}

describe.runIf(RUNS_HERE)('hostile text in a page', () => {
  it('is only data: every row is read back unchanged from the page, and nothing runs', async () => {
    const { ask, complaints, page } = await opened()
    const rows = await ask<Cell[][]>(`[...document.querySelectorAll('.table script')]
      .flatMap((element) => JSON.parse(element.textContent))`)
    expect(rows).toEqual(ROWS)
    expect(await ask('document.querySelectorAll(".table script").length')).toBeGreaterThan(3)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('is shown as text, in the rows of the page and in those that the script draws', async () => {
    const { ask, complaints, page, rows, search, sort } = await opened()
    const shown = (text: string) => text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd')
    await sort('State')
    const drawn = (await rows()).map(([text]) => text)
    expect(drawn.slice(0, BREAK_OUT.length)).toEqual(BREAK_OUT.map(shown))
    for (const text of BREAK_OUT.slice(0, 10)) {
      await ask(`(() => {
        const input = document.querySelector('.tools input')
        input.value = ${JSON.stringify(text)}
        input.dispatchEvent(new Event('input'))
      })()`)
      expect([text, (await rows()).length]).toEqual([text, expect.any(Number)])
      for (const [cell] of await rows()) expect(cell).toContain(text)
    }
    await search('no such thing')
    expect(
      await ask(`document.querySelectorAll('h1, img, svg, main script:not([type])').length`),
    ).toBe(1)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('is shown as text in the names of a table and its columns, too', async () => {
    const title = '"><script>alert(1)</script>\u2028<!--'
    const { ask, complaints, page, count } = await opened(title)
    expect(await ask('document.querySelector("h3").textContent')).toBe(title)
    expect(await ask('document.querySelector(".tools input").ariaLabel')).toBe(`Search ${title}`)
    expect(await ask('document.querySelector("thead button").textContent')).toBe(`Text ${title}`)
    expect(await count()).toBe('300 rows')
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe.runIf(RUNS_HERE)('the policy of a page', () => {
  it('allows only a script with the hash in the policy', async () => {
    const { ask, complaints, page } = await opened()
    const text = await ask<string>('document.querySelector("script:not([type])").textContent')
    const hash = createHash('sha256').update(text).digest('base64')
    const policy = await ask<string>(`document.querySelector('meta[http-equiv]').content`)
    expect(policy).toContain(`script-src 'sha256-${hash}'`)
    expect(policy.match(/'unsafe-\w+'/g)).toEqual([`'unsafe-inline'`])
    expect(policy).toMatch(/; style-src 'unsafe-inline'/)
    await ask(`document.body.append(Object.assign(document.createElement('script'),
      { textContent: 'alert(1)' }))`)
    await page.evaluate(DRAWN)
    expect(complaints.join(' ')).toMatch(/refused: script-src-elem inline/)
    expect(complaints.join(' ')).not.toContain('a script ran')
    await page.close()
  })

  it('blocks the page’s script if one letter was changed', async () => {
    if (stage === undefined) throw new Error('there is no browser')
    const url = await stage.write(documentOf([hostile('List')]))
    const html = await readFile(fileURLToPath(url), 'utf8')
    const page = await stage.browser.newPage()
    await page.setContent(html.replace('No row is like that.', 'No row is like this.'))
    expect(await page.evaluate('document.querySelector("output")')).toBeNull()
    await page.setContent(html)
    expect(await page.evaluate('document.querySelector("output").textContent')).toBe('300 rows')
    await page.close()
  })
})
