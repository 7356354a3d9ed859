import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import sessionReports from '../../jobs/session-reports.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

const HOUR_MS = 3_600_000
const STREAMS = [
  {
    job: only(sessionReports, 'session_reports'),
    path: '/videosdk/sessions',
    list: 'sessions',
    id: 'id',
    time: 'start_time',
  },
  {
    job: only(whiteboardArchives, 'whiteboard_sessions'),
    path: '/whiteboards/sessions',
    list: 'sessions',
    id: 'id',
    time: 'start_time',
  },
  {
    job: only(whiteboards, 'whiteboards'),
    path: '/whiteboards',
    list: 'whiteboards',
    id: 'whiteboard_id',
    time: 'created_date',
  },
] as const

test.each(STREAMS)(
  'rows of $list without a readable $time ($path) are stored once, whichever windows show them',
  async (stream) => {
    const { job } = stream
    await sync(job)
    const before = await rows(stream)
    // Each window shows all of these rows, every other window in reverse order.
    for (const [count, name] of [
      [1, 'v1'],
      [60, 'v1'],
      [60, 'v2'],
      [60, 'v2'],
    ] as const) {
      show(stream, count, name)
      const { state, problems, tables } = await sync(job)
      const few = count === 1
      expect({ count, name, state, problems }).toEqual({
        count,
        name,
        state: few ? 'complete' : 'incomplete',
        problems: few
          ? []
          : [expect.stringContaining(`60 records have no readable ${stream.time}`)],
      })
      expect(await rows(stream)).toBe(before + count)
      expect(tables[job.streams[0]!.name]?.present).toBe(before + count)
    }
    const { tables } = await sync(job)
    expect(tables[job.streams[0]!.name]).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    // No window misses these rows, so none is deleted; a run that reads all windows reports them.
    delete world.ways.tell
    for (let run = 0; run < 2; run++) {
      await world.advance(2 * HOUR_MS)
      const missed = await sync(job)
      expect(missed).toMatchObject({
        state: 'complete',
        problems: [expect.stringContaining('60 rows without a')],
      })
      expect(await rows(stream)).toBe(before + 60)
    }
  },
)

type Shown = (typeof STREAMS)[number]

function show({ path, list, id, time }: Shown, count: number, name: string): void {
  let asked = 0
  const odd = ['soon', '', null, {}, '2026-99-99T00:00:00Z', undefined]
  const records = Array.from({ length: count }, (_, at) => ({
    [id]: `timeless-${at}`,
    [time]: odd[at % odd.length],
    session_name: name,
    whiteboard_name: name,
  }))
  world.ways.tell = (request, { body }) => {
    if (!request.path.endsWith(path)) return
    const page = body as Record<string, unknown> & { total_records?: number }
    const shown = asked++ % 2 === 0 ? records : records.toReversed()
    page[list] = [...(page[list] as object[]), ...shown]
    if (page.total_records !== undefined) page.total_records += count
  }
}

async function rows({ job }: Shown): Promise<number> {
  const { rows: found } = await sql<{ n: number }>`select count(*)::int as n
    from ${sql.id('svc', job.streams[0]!.name)} where _deleted_at is null`.execute(
    world.warehouse.db,
  )
  return found[0]?.n ?? 0
}

function only(job: Job, name: string): Job {
  return { ...job, streams: job.streams.filter((stream) => stream.name === name) }
}

async function sync(job: Job): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full: true })
  if (result === undefined) throw new Error('No run')
  return result
}
