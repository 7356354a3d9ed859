import { expect, it } from 'vitest'
import { htmlPage } from '../../src/render/html.ts'
import { exampleDocument, row } from './document.ts'

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
