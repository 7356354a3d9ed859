import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ReportDocument, Table } from '../../../src/core/define/report.ts'
import { PRINTS_HERE, pdfText } from '../pdf/chromium.ts'
import { exampleDocument, row, table } from './document.ts'
import { DRAWN, RUNS_HERE, usePages } from './page-stage.ts'

const stage = RUNS_HERE ? usePages() : undefined

async function opened(document: ReportDocument) {
  if (stage === undefined) throw new Error('there is no browser')
  return await stage.open(document)
}

const figures = {
  kind: 'figures',
  title: 'Key figures',
  figures: Array.from({ length: 6 }, (_none, at) => {
    return { label: `Figure ${at}`, value: 13_082.3, format: 'decimal' } as const
  }),
} as const

const cover = { title: 'Cover', blocks: [figures] }

/** A table with as many text columns, and a column of times. */
function tableOf(columns: number, rows: number): Table {
  const named = Array.from({ length: columns - 1 }, (_none, at) => `Column ${at}`)
  return {
    ...table([]),
    columns: [
      ...named.map((title) => ({ name: title, title, format: 'text' }) as const),
      { name: 'at', title: 'Began', format: 'instant' },
    ],
    rows: Array.from({ length: rows }, () => [
      ...named.map((_title, at) => (at % 3 === 0 ? 'Anna Example' : 'person.of.the.branch')),
      '2026-10-31T08:30:00',
    ]),
  }
}

describe.runIf(RUNS_HERE)('a printed page', () => {
  it('has a section with a wide table in landscape, and others upright', async () => {
    const { page } = await opened({
      ...exampleDocument(),
      sections: [
        cover,
        { title: 'Wide', blocks: [tableOf(12, 3)] },
        { title: 'Narrow', blocks: [tableOf(5, 3)] },
      ],
    })
    const pdf = Buffer.from(await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    const boxes = [...pdf.matchAll(/\/MediaBox *\[0 0 ([\d.]+) ([\d.]+)\]/g)]
    const sides = boxes.map(([, width, height]) =>
      Number(width) > Number(height) ? 'wide' : 'high',
    )
    expect(sides).toEqual(['high', 'wide', 'high'])
    await page.close()
  }, 60_000)

  it.runIf(PRINTS_HERE)(
    'does not split a table that fits on a page',
    async () => {
      const titles = ['First', 'Second', 'Third', 'Fourth', 'Fifth']
      const tables = titles.map((title) => ({ ...tableOf(12, 12), title }))
      const { page } = await opened({
        ...exampleDocument(),
        sections: [cover, { title: 'Wide', blocks: tables }],
      })
      const path = join(mkdtempSync(join(tmpdir(), 'callsheet-print-')), 'page.pdf')
      await page.pdf({ path, preferCSSPageSize: true })
      const [, ...sheets] = pdfText(path).trim().split('\f')
      rmSync(dirname(path), { recursive: true })
      expect(sheets.length).toBeGreaterThan(1)
      for (const text of sheets) {
        const headings = text.match(/^ *(?:First|Second|Third|Fourth|Fifth)$/gm) ?? []
        expect(text.match(/2026-10-31/g)).toHaveLength(12 * headings.length)
      }
      await page.close()
    },
    60_000,
  )

  it('breaks times only between day and time, even in a table of 14 columns', async () => {
    const { page, ask } = await opened({
      ...exampleDocument(),
      sections: [cover, { title: 'Wide', blocks: [tableOf(14, 3)] }],
    })
    await page.setViewport({ width: 1_030, height: 700 })
    await page.emulateMediaType('print')
    await page.evaluate(DRAWN)
    const lines = await ask<number>(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('tbody td.d'))
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    })()`)
    expect(lines).toBeLessThanOrEqual(2)
    await page.close()
  }, 60_000)
})

describe.runIf(RUNS_HERE)('the first screen of a phone', () => {
  it('begins with the first sentence, and hides the heading that the contents repeat', async () => {
    const note = { kind: 'note', tone: 'bad', text: 'Something happened: act on it.' } as const
    const { page, ask } = await opened({
      ...exampleDocument(),
      sections: [
        { title: 'Summary', blocks: [note, figures] },
        { title: 'List', blocks: [table([row('one')])] },
      ],
    })
    await page.setViewport({ width: 390, height: 844 })
    await page.evaluate(DRAWN)
    const space = await ask<number>(
      `document.querySelector('.note').getBoundingClientRect().top -
        document.querySelector('nav').getBoundingClientRect().bottom`,
    )
    expect(space).toBeLessThanOrEqual(14)
    // Screen readers still find the heading.
    expect(await ask(`document.querySelector('h2').checkVisibility()`)).toBe(true)
    await page.close()
  }, 60_000)
})
