import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LEDGERS } from '../../../src/erasure/sql/erasure-ledgers.ts'

const page = readFileSync(new URL('../../../docs/configure.md', import.meta.url), 'utf8')

it('the ledger chapter of the configuration page names every ledger', () => {
  const start = page.indexOf('## Choose how long the ledgers are kept')
  const chapter = page.slice(start, page.indexOf('\n## ', start + 1))
  const unsaid = Object.keys(LEDGERS).filter((name) => !chapter.includes(`\`${name}\``))
  expect(unsaid).toEqual([])
  expect(chapter.length).toBeGreaterThan(2_000)
})
