import { afterEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import { lowStretches } from '../../src/core/records/low-volume.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { judgeVolume } from '../../src/engine/health/service-causes.ts'
import { daysOfStreams } from '../../src/warehouse/load/daily-counts.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

test.each([
  { days: 0, found: [] },
  { days: 10, found: ['amber volume_low session_reports'] },
])(
  'session reports that come empty for $days days are $found, while recordings go on',
  async (given) => {
    world = await openWorld({
      sizes: { ...TINY, sessions: 6_000, recordings: 3_000 },
      altered: true,
    })
    const silentFrom = Date.parse(WORLD_NOW) - given.days * DAY_MS
    world.ways.tell = (asked, { body }) => {
      const page = body as { sessions?: { start_time: string }[] }
      if (!asked.path.includes('/videosdk/sessions') || page.sessions === undefined) return
      page.sessions = page.sessions.filter(({ start_time: at }) => Date.parse(at) < silentFrom)
    }
    for (const run of await world.sync({ jobs: [sessionReports, recordings] }))
      expect(run.state).toBe('complete')
    expect((await low()).map(({ level, code, subject }) => `${level} ${code} ${subject}`)).toEqual(
      given.found,
    )
  },
)

async function low() {
  const days = await daysOfStreams(world.warehouse.db, { account: 'account-0' })
  expect(days.map(({ stream }) => stream)).toEqual(['recording_sessions', 'session_reports'])
  const open = lowStretches(days).filter((one) => one.open)
  return judgeVolume({ low: open } as unknown as Parameters<typeof judgeVolume>[0])
}
