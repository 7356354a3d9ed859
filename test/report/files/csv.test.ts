import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { csvCell, renderCsv } from '../../../src/report/files/csv.ts'
import { AWKWARD, row, table } from '../page/document.ts'
import { parseCsv, withoutGuards } from './parse-csv.ts'

it('a CSV file has a header of names, CRLF line ends, and values that a parser reads back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-csv-'))
  await renderCsv(table(AWKWARD.map(row)), join(directory, 'a.csv'))
  const text = await readFile(join(directory, 'a.csv'), 'utf8')
  await rm(directory, { recursive: true })
  expect(text.startsWith('\ufeffnumber,day,share,quality,change,seconds\r\n')).toBe(true)
  const values = parseCsv(text)
    .slice(1)
    .map(([first = '']) => withoutGuards(first))
  // The file is UTF-8, which cannot contain lone surrogates.
  expect(values).toEqual(AWKWARD.map((value) => value.toWellFormed()))
})

it.each([
  '=1',
  '+1',
  '-1',
  '@a',
  '\t=1',
  '\r1',
  ' =1',
  '\u00a0=1',
  '＝1',
  '＋1',
  "'=1",
  '+14155550100',
])('a CSV file has an apostrophe before %j', (value) =>
  expect(csvCell(value).replace(/^"/, '')).toMatch(/^'/),
)

it('a CSV file has numbers, shares and harmless text unchanged', () => {
  expect([-1, 0.25, 'a=1', '2026-10-31', null, true].map(csvCell)).toEqual([
    '-1',
    '0.25',
    'a=1',
    '2026-10-31',
    '',
    'true',
  ])
})
