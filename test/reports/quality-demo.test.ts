import { expect, it } from 'vitest'
import type { Counts } from '../../reports/session-quality/facts.ts'
import { KINDS } from '../../reports/session-quality/source.ts'
import { findingsOf, qualityTests } from '../../reports/session-quality/tests.ts'
import { startSandbox } from '../../sandbox/server/server.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')
/** The second full week of May, in which one team of the simulated company had bad audio. */
const WEEK = { from: '2026-05-11', to: '2026-05-17' }

it.each([1, 2, 3])('the demo company’s week of bad audio is found (seed %i)', async (seed) => {
  const sandbox = await startSandbox({ nowMs: NOW_MS, seed, sizes: { users: 100 } })
  const days = new Map<string, Counts>()
  const counted = { bad: 0, rated: 0, badThere: 0, ratedThere: 0 }
  for await (const row of sandbox.truth('session_reports')) {
    const day = String(row.start_time).slice(0, 10)
    if (day >= '2026-06') continue
    const counts: Record<string, number | null> = { ...days.get(day) }
    for (const { kind, column } of KINDS) {
      const name = `${kind}_${String(row[column])}`
      counts[name] = (counts[name] ?? 0) + 1
    }
    days.set(day, counts)
    if (!day.startsWith('2026-05') || row.audio_quality === null) continue
    const inWeek = day >= WEEK.from && day <= WEEK.to
    counted[inWeek ? 'rated' : 'ratedThere']++
    if (row.audio_quality === 'bad') counted[inWeek ? 'bad' : 'badThere']++
  }
  await sandbox.close()
  const from = (first: string, end: string) =>
    new Map([...days].filter(([day]) => day >= first && day < end))
  const tests = qualityTests({
    days: from('2026-05', '2026-06'),
    daysBefore: from('2026-04', '2026-05'),
    earlier: from('2025-12', '2026-05'),
    groupings: [],
  })
  const first = findingsOf(tests).find(({ question }) => question.of === 'week')
  expect(first).toMatchObject({ question: { week: WEEK.from }, kind: { kind: 'audio' } })
  expect({ part: first?.part, rest: first?.rest }).toEqual({
    part: { of: counted.rated, hits: counted.bad },
    rest: { of: counted.ratedThere, hits: counted.badThere },
  })
  // The difference of the two shares is more than five standard errors.
  const share = (counted.bad + counted.badThere) / (counted.rated + counted.ratedThere)
  const error = Math.sqrt(share * (1 - share) * (1 / counted.rated + 1 / counted.ratedThere))
  expect(counted.bad / counted.rated - counted.badThere / counted.ratedThere).toBeGreaterThan(
    5 * error,
  )
  // The only other finding: shared screens are worse since a day in the story.
  const worse = findingsOf(tests).filter(({ difference }) => difference > 0)
  const others = worse.filter(({ kind }) => kind.kind !== 'audio')
  expect(others).toMatchObject([{ kind: { kind: 'screen_share' }, question: { of: 'shift' } }])
  expect(worse.filter(({ question }) => question.of === 'week')).toHaveLength(1)
})
