import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countRows, differences } from './count-rows.ts'
import { printCoverage } from './print-coverage.ts'
import { FACTS } from './rows/all.ts'
import { SECTIONS } from './sections.ts'

const root = join(import.meta.dirname, '..', '..')
/** Written down so that it can only become shorter. */
const NOT_HELD: readonly string[] = []
const NOT_BUILT: readonly string[] = []

describe('the table of documented facts', () => {
  for (const { id, rows, facts } of SECTIONS)
    it(`has all ${rows} rows of ${id} in ${facts} facts`, () => {
      const here = FACTS.filter(({ section }) => section === id)
      expect(here.length).toBe(facts)
      const told = new Set(here.map(({ at }) => at))
      expect([...told].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: rows }, (_, at) => at + 1),
      )
    })

  it('names each fact once, in an existing section', () => {
    expect(FACTS.length).toBeGreaterThan(600)
    const ids = FACTS.map(({ id }) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    const known = new Set(SECTIONS.map(({ id }) => id))
    expect(FACTS.filter(({ section }) => !known.has(section))).toEqual([])
  })

  it('marks untested and unbuilt facts, and has no more of them than before', () => {
    const idsOf = (state: string) =>
      FACTS.filter(({ held }) => held.by === 'nothing' && held.state === state).map(({ id }) => id)
    expect(idsOf('not held')).toEqual(NOT_HELD)
    expect(idsOf('not built')).toEqual(NOT_BUILT)
  })

  it('matches docs/internals/api-coverage.md', () => {
    const page = readFileSync(join(root, 'docs', 'internals', 'api-coverage.md'), 'utf8')
    expect(page).toBe(printCoverage())
  })
})

describe('each fact has an existing test', () => {
  const held = FACTS.flatMap(({ id, held: by }) => (by.by === 'test' ? { id, ...by } : []))
  for (const { id, file, title } of held)
    it(`${id}: ${title}`, () => {
      const path = join(root, file)
      expect(existsSync(path) ? '' : file).toBe('')
      const titled = new RegExp(String.raw`['"\`]${escaped(title)}['"\`]`)
      expect(readFileSync(path, 'utf8')).toMatch(titled)
    })
})

describe('the number of documented rows', () => {
  it('includes lines of tables, items and prose, but no introductions or headings', () => {
    const text = [
      'Not in a section.',
      '## One',
      '| a | b |',
      '|---|---|',
      '| `c` | d |',
      '',
      'Leads in:',
      '- an item',
      '  - one below',
      '1. another',
      '### Two',
      '`a` and `b`, of which:',
      'Prose.',
    ]
    const counted = countRows(text.join('\n'), 1)
    expect(counted.map(({ rows }) => rows)).toEqual([4, 2])
  })

  it('names new sections and sections with additional rows', () => {
    const counted = SECTIONS.map(({ document, rows }) => ({ document, depth: 2, rows }))
    expect(differences(counted)).toEqual([])
    const more = counted.with(2, { document: 1, depth: 2, rows: 14 })
    expect(differences(more)).toEqual(['1.token: 14 in document 1, pinned 13'])
    expect(differences([...counted, { document: 3, depth: 2, rows: 1 }])).toHaveLength(1)
  })
})

function escaped(title: string): string {
  return title.replaceAll(/[$()[\]{}.*+?^|\\]/g, String.raw`\$&`)
}
