import { expect, it } from 'vitest'
import type { Section } from '../../../src/core/define/report.ts'
import { documentTables } from '../../../src/report/files/document-tables.ts'
import { exampleDocument, row, table } from '../page/document.ts'

const namesOf = (...sections: Section[]): string[] =>
  documentTables({ ...exampleDocument(), sections }).map(({ part }) => part)

const list: Section = { title: 'List', blocks: [table([row('1')]), table([row('1')], 'By site')] }

it('a table is named by its section and title, whatever sections the data adds', () => {
  const changes: Section = { title: 'Changes', blocks: [table([], 'Changes')] }
  expect(namesOf(list)).toEqual(['00-notes', '00-figures', 'list', 'list.by-site'])
  expect(namesOf(changes, list).slice(-2)).toEqual(['list', 'list.by-site'])
})

it('a block whose title depends on the data is named by its stable file name', () => {
  const blocks = ['2026-05', '2026-06'].map((month) => ({
    ...table([], `Sessions of ${month}`),
    file: 'Sessions',
  }))
  for (const block of blocks)
    expect(namesOf({ title: 'List', blocks: [block] }).at(-1)).toBe('list.sessions')
})
