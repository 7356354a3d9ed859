import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import users from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { type PublishedReport, publishReport } from '../../src/report/publish-report.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { readWorkbook, type Workbook } from '../reports/workbook.ts'

let world: World
let directory: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-moment-'))
  world = await openWorld({ sizes: TINY, archive: { files: true } })
})
afterEach(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

const DOWNLOAD = 'whiteboard_sessions.download'

async function sync(job = whiteboardArchives): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full: true })
  if (result === undefined) throw new Error('No run')
  return result
}

async function audit(): Promise<{ made: PublishedReport; book: Workbook }> {
  const made = await publishReport(world, {
    report: whiteboardAudit,
    account: 'account-0',
    params: { from: '2026-06-01', to: '2026-07-11' },
    timeZone: 'UTC',
    directory,
    formats: ['xlsx'],
  })
  return { made, book: await readWorkbook(made.files[0]?.path ?? '') }
}

async function activitiesOfRun(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from svc.whiteboard_activities
    where create_time >= '2026-06-01' and create_time < '2026-07-12'`.execute(world.warehouse.db)
  return rows[0]?.n ?? 0
}

const endOf = async ({ runId }: RunResult): Promise<number> => {
  const { rows } = await sql<{ finished_at: string }>`
    select finished_at from callsheet.runs where id = ${runId}`.execute(world.warehouse.db)
  return Date.parse(rows[0]?.finished_at ?? '')
}

/** Syncs after a day with new sessions, whose files cannot be downloaded. */
async function dayWithoutFiles(): Promise<RunResult> {
  await world.advance(DAY_MS)
  await world.mutate()
  await world.faults([{ kind: 'status', status: 500, operation: DOWNLOAD }])
  const run = await sync()
  expect(run.problems.join()).toContain('could not be downloaded')
  expect(run.state).toBe('incomplete')
  return run
}

describe('the data time of a report', () => {
  it('is the last run that read all records, even if it could not fetch some files', async () => {
    await sync()
    const before = await audit()
    expect(before.book.notes('Provenance').join()).not.toContain('something else')
    const run = await dayWithoutFiles()
    const { made, book } = await audit()
    expect([made.runIds, made.asOfMs]).toEqual([[run.runId], await endOf(run)])
    const rows = book.records('All activities', 'Time')
    expect(rows.length).toBe(await activitiesOfRun())
    expect(rows.length).toBeGreaterThan(before.book.records('All activities', 'Time').length)
    expect(book.notes('Provenance')).toContainEqual(
      `Run ${run.runId} of whiteboard-archives read everything that this report uses, but ended incomplete ` +
        `for another reason, such as a file. Run "callsheet runs ${run.runId}" to see it.`,
    )
    expect((await audit()).made.files).toEqual(made.files)
  })

  it('is the previous run if sessions or activities were read incompletely', async () => {
    const first = await sync()
    await world.advance(DAY_MS)
    await world.mutate()
    for (const operation of ['whiteboard_sessions.list', 'whiteboard_sessions.get']) {
      await world.faults([{ kind: 'status', status: 500, operation }])
      expect(await sync()).toMatchObject({ state: 'incomplete' })
      expect((await audit()).made).toMatchObject({ runIds: [first.runId], covered: false })
    }
  })

  it('is the run that read the archives, even if boards and users were read later', async () => {
    await sync()
    const { made } = await audit()
    await world.advance(40 * DAY_MS)
    for (const job of [whiteboards, users])
      expect(await sync(job)).toMatchObject({ state: 'complete' })
    const later = await audit()
    expect(later.made.asOfMs).toBe(made.asOfMs)
    expect(later.made.runIds).toHaveLength(3)
    const [night] = later.book.notes('Provenance').filter((text) => text.includes('the same night'))
    expect(night).toContain(': whiteboards is as of 2026-08-17 02:')
    expect(night).toContain('users is as of 2026-08-17 02:')
    expect(night).not.toContain('whiteboard_sessions is of')
  })
})
