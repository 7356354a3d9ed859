import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { printReadings } from '../conformance/print-readings.ts'
import { AT_ONCE, testSyncsUnder } from './cases.ts'

testSyncsUnder(AT_ONCE)

it('docs/readings.md matches the declared readings', () => {
  const page = readFileSync(new URL('../../docs/readings.md', import.meta.url), 'utf8')
  expect(page).toBe(printReadings())
})
