import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionReports } from '../../src/cli/probe/lists.ts'
import type { Verdict } from '../../src/cli/probe/probe.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { type Probed, probeWith } from './probe-stage.ts'

const WINDOWS = ['whiteboard_sessions', 'whiteboards', 'session_reports', 'recordings']

let database: TestDatabase
let small: Probed
beforeAll(async () => {
  database = await testDatabase()
  small = await probeWith({
    readings: { pageSizeAbove: 'refused', futureTo: 'refused', trunkProduct: 'required' },
    found: [{ reading: 'page_size:phone_numbers.list', variant: '25', shownBy: 'a refusal' }],
    databaseUrl: database.url,
  })
}, 60_000)
afterAll(() => database.drop())

const idsOf = (verdict: Verdict): string[] =>
  small.probes.filter((one) => one.verdict === verdict).map((one) => one.probe.id)

describe('pages that are smaller than the documents say', () => {
  it('are told, and all else is asked with such pages', () => {
    const differing = idsOf('differs')
    expect(differing.filter((id) => id.startsWith('page-size')).length).toBeGreaterThanOrEqual(9)
    expect(small.of('page-size.users')).toMatchObject({
      found: 'pages of 300 are refused, of 30 taken',
      facts: { page_size: 30 },
    })
    expect(small.of('page-size.phone_numbers').facts).toEqual({ page_size: 25 })
    for (const list of WINDOWS)
      expect(small.of(`window-span.${list}`)).toMatchObject({ verdict: 'holds' })
    for (const list of ['whiteboard_sessions', 'session_reports', 'recordings'])
      expect(small.of(`window-future.${list}`)).toMatchObject({
        verdict: 'differs',
        found: expect.stringMatching(/must not be in the future/),
        means: expect.stringMatching(/^nothing is lost/),
      })
    expect(idsOf('not allowed')).toEqual([])
  })

  it('asks for a month of sessions within one month, on every day of a year', () => {
    for (let ms = Date.UTC(2028, 0); ms < Date.UTC(2029, 0); ms += 86_400_000) {
      const { from, to } = sessionReports.query(ms) as { from: string; to: string }
      expect([from.slice(8), from.slice(0, 7)]).toEqual(['01', to.slice(0, 7)])
      expect(to <= new Date(ms).toISOString().slice(0, 10)).toBe(true)
      expect(Number(to.slice(8))).toBeGreaterThanOrEqual(15)
    }
  })
})
