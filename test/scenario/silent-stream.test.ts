import { afterEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import recordingsReport from '../../reports/recordings.ts'
import sessionQuality from '../../reports/session-quality.ts'
import { lowStretches } from '../../src/core/records/low-volume.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { prepareReport } from '../../src/report/prepare-report.ts'
import { judgeVolume } from '../../src/serve/health/service-causes.ts'
import { daysOfStreams } from '../../src/warehouse/load/daily-counts.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

interface Session {
  start_time: string
  recording_files?: unknown[]
}

test.each([
  { silent: 'records', days: 0, found: [], reports: [] },
  {
    silent: 'sessions',
    days: 10,
    found: ['amber volume_low session_reports'],
    reports: ['session-quality'],
  },
  {
    silent: 'files',
    days: 10,
    found: ['amber volume_low parts of recording_sessions'],
    reports: ['recordings'],
  },
])(
  'after $days days without $silent the health causes are $found',
  async ({ silent, days, ...given }) => {
    world = await openWorld({
      sizes: { ...TINY, sessions: 6_000, recordings: 3_000 },
      altered: true,
    })
    const from = Date.parse(WORLD_NOW) - days * DAY_MS
    world.ways.tell = (asked, { body }) => {
      const page = body as { sessions?: Session[] }
      if (page.sessions === undefined) return
      const isSilent = ({ start_time: at }: Session): boolean => Date.parse(at) >= from
      if (silent === 'sessions' && asked.path.includes('/videosdk/sessions'))
        page.sessions = page.sessions.filter((one) => !isSilent(one))
      if (silent === 'files' && asked.path.includes('/videosdk/recordings'))
        for (const one of page.sessions.filter(isSilent))
          Object.assign(one, { recording_files: [], recording_count: 0, total_size: 0 })
    }
    for (const run of await world.sync({ jobs: [sessionReports, recordings] }))
      expect(run.state).toBe('complete')
    const low = await stretches()
    const causes = judgeVolume({ low } as unknown as Parameters<typeof judgeVolume>[0])
    expect(causes.map(({ level, code, subject }) => `${level} ${code} ${subject}`)).toEqual(
      given.found,
    )
    const sentence = causes[0]?.sentence.slice(1, -1)
    for (const report of [sessionQuality, recordingsReport]) {
      const lines = await firstLines(report)
      if (given.reports.includes(report.name)) {
        expect(lines).toContain('NOT complete')
        expect(lines).toContain(sentence)
      } else expect(lines).not.toContain('where about')
    }
  },
)

async function stretches() {
  const days = await daysOfStreams(world.warehouse.db, { account: 'account-0' })
  return lowStretches(days).filter((one) => one.open)
}

async function firstLines(
  report: typeof sessionQuality | typeof recordingsReport,
): Promise<string> {
  const prepared = await world.warehouse.transaction(
    (tx) =>
      prepareReport(tx, {
        report,
        account: 'account-0',
        params: report.params.parse({}),
        timeZone: 'UTC',
      }),
    { snapshot: true, keeps: true },
  )
  const blocks = prepared.document.sections[0]?.blocks ?? []
  return blocks.flatMap((block) => (block.kind === 'note' ? [block.text] : [])).join(' ')
}
