import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { lowStretches } from '../../../src/core/records/low-volume.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { DAY_MS } from '../../../src/core/time/time.ts'
import { recordingSessions } from '../../../src/resources/recordings.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { countDays } from '../../../src/sync/run/count-days.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import type { KeptDays } from '../../../src/warehouse/load/daily-counts.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

/** The day of the first run, at 02:30. */
const FIRST = 20_000
const account = 'a'
const KEYS = { session_reports: 'id', recording_sessions: 'session_id' } as const
type Name = keyof typeof KEYS

beforeEach(async () => {
  await sql`truncate svc.session_reports, svc.recording_sessions`.execute(warehouse.db)
})

describe('an account in the nights after its first load', () => {
  it('is alerted within two nights if a stream stops', async () => {
    const found = await nights(4, ({ night }) => [
      ...(night === 0 ? began('session_reports', FIRST - 90, FIRST) : []),
      ...began('recording_sessions', night === 0 ? FIRST - 90 : FIRST + night - 1, FIRST + night),
    ])
    expect(found).toEqual([[], [], ['session_reports'], ['session_reports']])
  })

  it('is not alerted about a stream whose records arrive days late', async () => {
    const found = await nights(20, ({ night }) => [
      ...began('session_reports', night === 0 ? FIRST - 90 : FIRST + night - 4, FIRST + night - 3),
      ...began('recording_sessions', night === 0 ? FIRST - 90 : FIRST + night - 1, FIRST + night),
    ])
    expect(found).toEqual(Array.from({ length: 20 }, () => []))
  })

  it('is alerted about such a stream that stops, as many nights later', async () => {
    const found = await nights(20, ({ night }) => [
      ...(night < 10
        ? began('session_reports', night === 0 ? FIRST - 90 : FIRST + night - 4, FIRST + night - 3)
        : []),
      ...began('recording_sessions', night === 0 ? FIRST - 90 : FIRST + night - 1, FIRST + night),
    ])
    expect(found.slice(0, 10).flat()).toEqual([])
    expect(found.slice(14).flat()).toContain('session_reports')
  })
})

interface Began {
  name: Name
  day: number
}

function began(name: Name, from: number, to: number): Began[] {
  return Array.from({ length: to - from }, (_, at) => ({ name, day: from + at }))
}

/** The streams that are silent after each night; `shown` returns the days that the service shows then. */
async function nights(count: number, shown: (at: { night: number }) => Began[]) {
  const found: string[][] = []
  let own: KeptDays[] = []
  for (let night = 0; night < count; night++) {
    const nowMs = (FIRST + night) * DAY_MS + 2.5 * 3_600_000
    for (const one of shown({ night })) await insert(one, nowMs)
    const clock = { ...systemClock, now: () => nowMs }
    const run = { account, warehouse, clock, observer: silentObserver }
    const streams = [sessionReports, recordingSessions]
    own = await countDays(run, { streams }, { own, notifications: [] })
    const days = own.map(({ counts, lateDays, ...one }) => ({
      ...one,
      counts: counts.slice(0, counts.length - lateDays),
    }))
    found.push(lowStretches(days).flatMap(({ open, stream }) => (open ? [stream] : [])))
  }
  return found
}

/** Inserts thirty records of a day. */
async function insert({ name, day }: Began, seenMs: number): Promise<void> {
  const seen = new Date(seenMs).toISOString()
  await sql`insert into ${sql.id('svc', name)} (account, ${sql.id(KEYS[name])}, start_time, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, ${day} || '-' || n, to_timestamp(${day} * 86400.0 + n * 2500), '{}', '', ${seen},
      ${seen}, 1 from generate_series(1, 30) n`.execute(warehouse.db)
}
