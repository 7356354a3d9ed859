import { expect, it } from 'vitest'
import { htmlPage } from '../../../src/render/page/html.ts'
import { exampleDocument, row } from '../document.ts'

it('needs nothing from outside and runs nothing', async () => {
  const page = await htmlPage(exampleDocument())
  expect(page).not.toMatch(/<(script|link|iframe|img|object)\b/i)
  expect(page).not.toMatch(/\b(src|href)="(?!#)/)
  expect(page).not.toMatch(/url\(|@import/)
  expect(page.match(/<svg /g)).toHaveLength(4)
})

it('escapes what the data says', async () => {
  const page = await htmlPage(exampleDocument([row('<b onclick="x()">&\u0001')]))
  expect(page).toContain('&lt;b onclick=&quot;x()&quot;&gt;&amp;\ufffd')
  expect(page).not.toContain('<b onclick')
})

it('leaves out detail sections and says where they are', async () => {
  const page = await htmlPage(exampleDocument())
  expect(page).not.toContain('<h2 id="h5"')
  expect(page).toContain('In the workbook only: Detail.')
})

it('shows the first hundred rows of a long table and points to the workbook', async () => {
  const rows = Array.from({ length: 120 }, (_none, index) => row(`number-${index}`))
  const page = await htmlPage(exampleDocument(rows))
  expect(page).toContain('number-99<')
  expect(page).not.toContain('number-100<')
  expect(page).toContain('The first 100 rows; all of them are in the workbook, sheet “List”.')
})

it('gives every table a caption and header cells with a scope', async () => {
  const page = await htmlPage(exampleDocument())
  expect(page.match(/<table>/g)?.length).toBe(page.match(/<caption/g)?.length)
  expect(page).not.toMatch(/<th>/)
  expect(page).toContain('lang="en"')
})

it('is the same text for the same document', async () => {
  expect(await htmlPage(exampleDocument())).toBe(await htmlPage(exampleDocument()))
})

/** The words under a chart of half the page's width. */
async function labelsOf(categories: readonly string[]) {
  const series = [{ name: 'sessions', values: categories.map(() => 1) }]
  const chart = { type: 'bar', valueFormat: 'integer', categories, series } as const
  const blocks = [{ kind: 'chart', title: 'Chart', width: 'half', chart } as const]
  const page = await htmlPage({ ...exampleDocument(), sections: [{ title: 'Chart', blocks }] })
  const [, svg = ''] = /<svg ([\s\S]*)<\/svg>/.exec(page) ?? []
  const texts = [...svg.matchAll(/<text ([^>]*)>(.*?)<\/text>/g)]
  const under = texts.map(([, place = '', text = '']) => ({ place, text }))
  return under.filter(({ place }) => place.includes('#1F2937'))
}

it('sets the words under a chart aslant before it cuts any of them', async () => {
  const types = ['upload image', 'add connector', 'open whiteboard', 'add sticky note', 'edit text']
  const labels = await labelsOf([...types, ...types.map((type) => `${type} 2`)])
  expect(labels.map(({ text }) => text).slice(0, 5)).toEqual(types)
  expect(labels.every(({ place }) => place.includes('rotate(-50'))).toBe(true)
  const [long, wide] = await labelsOf(['Architecture '.repeat(4), '次回までの予定'.repeat(4)])
  expect(long?.text).toMatch(/^Architecture .{4,10}…$/)
  expect(wide?.text).toMatch(/^次回までの予定[^…]{1,5}…$/)
})

it('leaves words under a chart level where they fit, on some lines', async () => {
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
