import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { summaryPieces } from '../../../src/report/page/html.ts'
import { exampleDocument, htmlPage, row } from './document.ts'

it('a page loads nothing from elsewhere, and allows only its own script', async () => {
  const page = await htmlPage(exampleDocument())
  expect(page).not.toMatch(/<(link|iframe|img|object|form)\b/i)
  expect(page).not.toMatch(/\b(src|href)="(?!#)/)
  expect(page).not.toMatch(/url\(|@import/)
  // Each chart once for narrow screens.
  expect(page.match(/<svg /g)).toHaveLength(8)
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => text)
  expect(scripts).toHaveLength(1)
  const named = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64')
  expect(page).toContain(`default-src 'none'; script-src 'sha256-${named}'; style-src`)
  expect(page.match(/<script/g)?.length).toBe(
    1 + (page.match(/<script type="application\/json"/g)?.length ?? 0),
  )
})

it('a page for paper has each chart once, as wide as it is printed', async () => {
  const { sections, ...document } = exampleDocument()
  let page = ''
  for await (const piece of summaryPieces({ ...document, sections: sections.slice(1) }))
    page += piece
  const charts = [...page.matchAll(/<svg class="([\w-]+)" viewBox="0 0 (\d+) /g)]
  expect(charts.map(([, kind, width]) => [kind, Number(width)])).toEqual([
    ['paper-half', 318],
    ['paper-half', 318],
    ['paper-full', 676],
    ['paper-full', 676],
  ])
})

it('a page escapes HTML in the data', async () => {
  const page = await htmlPage(exampleDocument([row('<b onclick="x()">&\u0001')]))
  expect(page).toContain('&lt;b onclick=&quot;x()&quot;&gt;&amp;\ufffd')
  expect(page).not.toContain('<b onclick')
})

it('a page shows the first 100 rows of a long table and their number, and has all as data', async () => {
  const rows = Array.from({ length: 1_320 }, (_none, index) => row(`number-${index}`))
  const page = await htmlPage(exampleDocument(rows))
  expect(page).toContain('>number-99</th>')
  expect(page).not.toContain('>number-100</th>')
  const said = [...page.matchAll(/<noscript>(.*?)<\/noscript>/g)].map(([, text]) => text)
  expect(said).toHaveLength(2)
  expect(said[0]).toContain('The first 100 rows. There are 1,220 more:')
  expect(said[0]).toContain('in the workbook, sheet “List”.')
  const [list = '', detail = ''] = page.split('<h2 id="h5"')
  for (const part of [list, detail]) expect(rowsIn(part)).toEqual(rows)
})

it('a page gives every table a caption and header cells with a scope', async () => {
  const page = await htmlPage(exampleDocument())
  expect(page.match(/<table>/g)?.length).toBe(page.match(/<caption/g)?.length)
  expect(page).not.toMatch(/<th>/)
  expect(page).toContain('lang="en"')
})

it('a page links a note to the section with its details, if there is one', async () => {
  const note = (link: string) => ({ kind: 'note', tone: 'plain', text: 'Late.', link }) as const
  const page = await htmlPage({
    ...exampleDocument(),
    sections: [
      { title: 'Summary', blocks: [note('A & B'), note('Gone')] },
      { title: 'A & B', about: 'both of them', blocks: [] },
    ],
  })
  expect(page).toContain('<p class="note plain">Late. <a href="#s2">A &amp; B</a></p>')
  expect(page).toContain('<p class="note plain">Late.</p>')
  expect(page).toContain('<p class="about">both of them</p>')
})

it('a page is the same text for the same document', async () => {
  expect(await htmlPage(exampleDocument())).toBe(await htmlPage(exampleDocument()))
})

it('a page starts an axis of shares at 0, and never ends it beyond 100 %', async () => {
  const axisOf = async (type: 'bar' | 'stacked-bar' | 'line', shares: readonly number[]) => {
    const series = shares.map((share) => ({ name: `series ${share}`, values: [share] }))
    const chart = { type, valueFormat: 'percent', categories: ['one'], series } as const
    const blocks = [{ kind: 'chart', title: 'Chart', chart } as const]
    const page = await htmlPage({ ...exampleDocument(), sections: [{ title: 'Chart', blocks }] })
    const [, svg = ''] = /<svg ([\s\S]*?)<\/svg>/.exec(page) ?? []
    return [...svg.matchAll(/<text [^>]*>([\d.]+ %)<\/text>/g)].map(([, tick]) => tick)
  }
  // The sum of the shares is a little more than one.
  expect(await axisOf('stacked-bar', [0.7, 0.3000001])).toEqual([
    '0 %',
    '25 %',
    '50 %',
    '75 %',
    '100 %',
  ])
  expect((await axisOf('bar', [0.99])).at(-1)).toBe('100 %')
  expect((await axisOf('line', [0.031])).slice(0, 2)).toEqual(['0 %', '1 %'])
})

/** The data of all tables in a part of a page. */
function rowsIn(part: string): unknown[] {
  const data = part.matchAll(/<script type="application\/json">([^<]*)<\/script>/g)
  return [...data].flatMap(([, json = '']) => JSON.parse(json) as unknown[])
}

/** The labels under a chart of half the page's width, with their attributes. */
async function labelsOf(categories: readonly string[]) {
  const series = [{ name: 'sessions', values: categories.map(() => 1) }]
  const chart = { type: 'bar', valueFormat: 'integer', categories, series } as const
  const blocks = [{ kind: 'chart', title: 'Chart', width: 'half', chart } as const]
  const page = await htmlPage({ ...exampleDocument(), sections: [{ title: 'Chart', blocks }] })
  const [, svg = ''] = /<svg ([\s\S]*?)<\/svg>/.exec(page) ?? []
  const texts = [...svg.matchAll(/<text ([^>]*)>(.*?)<\/text>/g)]
  const under = texts.map(([, place = '', text = '']) => ({ place, text }))
  return under.filter(({ place }) => place.includes('--ink'))
}

it('a page rotates the labels under a chart before it cuts any of them', async () => {
  const types = ['upload image', 'add connector', 'open whiteboard', 'add sticky note', 'edit text']
  const labels = await labelsOf([...types, ...types.map((type) => `${type} 2`)])
  expect(labels.map(({ text }) => text).slice(0, 5)).toEqual(types)
  expect(labels.every(({ place }) => place.includes('rotate(-50'))).toBe(true)
  const [long, wide] = await labelsOf(['Architecture '.repeat(4), '次回までの予定'.repeat(4)])
  expect(long?.text).toMatch(/^Architecture .{4,10}…$/)
  expect(wide?.text).toMatch(/^次回までの予定[^…]{1,5}…$/)
})

it('a page keeps the labels under a chart level if they fit on several lines', async () => {
  const labels = await labelsOf(['US', 'New York office', 'SharedCost', 'SVC_CONTACT_CENTER', 'BR'])
  expect(labels.some(({ place }) => place.includes('rotate'))).toBe(false)
  const lines = labels.map(({ text }) => [...text.matchAll(/>([^<]+)</g)].map(([, line]) => line))
  expect(lines).toEqual([
    ['US'],
    ['New York', 'office'],
    ['SharedCost'],
    ['SVC_', 'CONTACT_', 'CENTER'],
    ['BR'],
  ])
})

it('a page draws a figure’s last periods as bars from zero, with a gap for a missing value', async () => {
  const trend = [null, 400, 800]
  const figures = [{ label: 'Sessions', value: 800, format: 'integer', trend } as const]
  const sections = [
    { title: 'Summary', blocks: [{ kind: 'figures', title: 'Figures', figures } as const] },
  ]
  const page = await htmlPage({ ...exampleDocument(), sections })
  const bars = [...page.matchAll(/<rect x="(\d+)" y="(\d+)" width="11" height="(\d+)"/g)]
  expect(bars.map(([, ...places]) => places.map(Number))).toEqual([
    [14, 10, 10],
    [28, 0, 20],
  ])
})

it('a page skips dates under a chart rather than breaking or rotating them', async () => {
  const weeks = Array.from({ length: 10 }, (_none, at) => `2026-${String(at + 1).padStart(2, '0')}`)
  const labels = await labelsOf(weeks)
  expect(labels.every(({ place }) => !place.includes('rotate'))).toBe(true)
  expect(labels.map(({ text }) => text.replaceAll(/<[^>]*>/g, ''))).toEqual(
    weeks.filter((_week, at) => at % 2 === 0),
  )
})
