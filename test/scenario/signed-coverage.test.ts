import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { exportAudit } from '../../src/audit/bundle/export-audit.ts'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { readWorkbook } from '../reports/workbook.ts'

let world: World
let directory: string

/** A night on which one week of whiteboard sessions cannot be read, and everything else can. */
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  directory = mkdtempSync(join(tmpdir(), 'callsheet-signed-'))
  const fails = { kind: 'status', status: 500, operation: 'whiteboard_sessions.list' }
  await world.faults([{ ...fails, about: '2026-06-11' }])
  await world.sync({ jobs: [whiteboardArchives] })
  await world.faults([])
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

/** The days that a bundle proves without the database, and other results of its check. */
async function bundle() {
  const { key, previousKeys, streams } = world.account.deps.evidence?.() ?? {}
  const store = await world.account.deps.archive?.store()
  if (key === undefined || streams === undefined || store === undefined)
    throw new Error('no evidence')
  const path = join(directory, 'audit.zip')
  const [from, to] = ['2026-06-08T00:00:00.000Z', '2026-06-25T00:00:00.000Z']
  const scope = { account: 'account-0', from, to, whiteboard: undefined, user: undefined }
  const { problems } = await exportAudit(
    { warehouse: world.warehouse, clock: systemClock },
    {
      scope,
      store,
      key,
      previousKeys: previousKeys ?? [],
      streams,
      path,
      by: 'a test',
      signal: new AbortController().signal,
    },
  )
  const { findings, days } = await verifyBundle(path, { key: key.publicKey.fingerprint })
  return {
    problems,
    findings,
    days: { ...days, open: (days?.open ?? []).map((day) => day.slice(5, 10)) },
  }
}

interface Audit {
  covered: boolean
  /** The cells of the report's sheet "Summary". */
  said: string
}

async function audit(params = { from: '2026-06-08', to: '2026-06-25' }): Promise<Audit> {
  const wanted = { report: whiteboardAudit, account: 'account-0', timeZone: 'UTC' }
  const made = await publishReport(world, { ...wanted, params, directory, formats: ['xlsx'] })
  const book = await readWorkbook(made.files[0]?.path ?? '')
  return { covered: made.covered, said: JSON.stringify(book.cells('Summary')) }
}

/** Tampers with the ledgers, with write access but without the key; undone after `make`. */
async function tampered<Made = Audit>(
  statements: readonly string[],
  make: () => Promise<Made> = audit as () => Promise<Made>,
): Promise<Made> {
  await world.warehouse.withClient(async (client) => {
    await client.query('create schema kept')
    for (const table of LEDGERS)
      await client.query(`create table kept.${table} as select * from callsheet.${table}`)
    await client.query('set session_replication_role = replica')
    for (const statement of statements) await client.query(statement)
    await client.query('reset session_replication_role')
  })
  try {
    return await make()
  } finally {
    await world.warehouse.withClient(async (client) => {
      await client.query('set session_replication_role = replica')
      for (const table of LEDGERS) {
        await client.query(`delete from callsheet.${table}`)
        await client.query(
          `insert into callsheet.${table} overriding system value select * from kept.${table}`,
        )
      }
      await client.query('reset session_replication_role')
      await client.query('drop schema kept cascade')
    })
  }
}

const LEDGERS = ['slices', 'slice_states', 'runs', 'checkpoints']
const FAILED = `stream = 'whiteboard_sessions' and state = 'failed'`
/** Rebuilds the states from the changed ledger, so that only the statements reveal the change. */
const RESTATED = `with gone as (delete from callsheet.slice_states returning account, stream, slice),
    names as (select account, array_agg(stream) as streams, array_agg(slice) as slices
      from gone group by account)
  insert into callsheet.slice_states select s.* from names n
  cross join lateral callsheet.slice_states_of(n.account, n.streams, n.slices) s`

describe('a report’s statement about its coverage', () => {
  it('counts the days that were not read, and does not call the coverage signed', async () => {
    const { covered, said } = await audit()
    expect(covered).toBe(false)
    expect(said).toContain('lacks 7 days of the period')
    expect(said).not.toContain('signed')
  })

  it('covers only days without failed slices, in a bundle as well', async () => {
    const { problems, findings, days } = await bundle()
    expect([problems, findings]).toEqual([[], []])
    // A session that began up to seven days before a day may last into it.
    const { rows } = await sql<{ day: string; failed: boolean }>`
      select to_char(day, 'MM-DD') as day, exists (select from callsheet.slices
        where stream = 'whiteboard_sessions' and state = 'failed'
          and owned_from < day + interval '1 day' and owned_to > day - interval '7 days') as failed
      from generate_series('2026-06-08'::date, '2026-06-24'::date, '1 day') day`.execute(
      world.warehouse.db,
    )
    expect(days.open).toEqual(rows.flatMap(({ day, failed }) => (failed ? [day] : [])))
    expect(days.open.length).toBeGreaterThan(7)
    expect(days.proven?.length).toBe(17 - days.open.length)
  })

  it('is not trusted if a failed slice was changed to complete', async () => {
    const { covered, said } = await tampered([
      `update callsheet.slices set state = 'complete', checked = true, error = null where ${FAILED}`,
      RESTATED,
    ])
    expect(covered).toBe(false)
    expect(said).toContain('the ledger of whiteboard_sessions differs from the signed entries')
    expect(said).not.toMatch(/(is|are) proven complete/)
  })

  it.each(['batch', 'batch + 1000', 'null'])(
    'is not trusted if a later slice was inserted (batch %s)',
    async (batch) => {
      const columns = 'account, stream, slice, run_id, owned_from, owned_to, service_total, version'
      const counts = 'pages, received, inserted, updated, unchanged, ignored, quarantined, deleted'
      const { covered, said } = await tampered([
        `insert into callsheet.slices (${columns}, ${counts}, outside, possibly_truncated, final, batch,
           state, checked, requested_at, finished_at)
         select ${columns}, ${counts}, outside, possibly_truncated, final, ${batch}, 'complete', true,
           requested_at, finished_at + interval '1 second'
         from callsheet.slices where ${FAILED}`,
        RESTATED,
      ])
      expect(covered).toBe(false)
      expect(said).toContain('the ledger of whiteboard_sessions differs from the signed entries')
      expect(said).not.toMatch(/(is|are) proven complete/)
    },
  )

  it('is trusted once the week was read', async () => {
    await world.sync({ jobs: [whiteboardArchives] })
    const { covered, said } = await audit()
    expect(covered).toBe(true)
    expect(said).not.toContain('signed')
    const { problems, findings, days } = await bundle()
    expect([problems, findings]).toEqual([[], []])
    expect(days).toMatchObject({ open: [], proven: { length: 17 } })
  })

  it('is not trusted if a slice was removed, even one that was read again later', async () => {
    const { covered, said } = await tampered([
      `delete from callsheet.slices where ${FAILED}`,
      RESTATED,
    ])
    expect(covered).toBe(false)
    expect(said).toContain('the ledger of whiteboard_sessions differs from the signed entries')
  })

  it('covers no day in a bundle if a failed slice was removed', async () => {
    const { problems, days } = await tampered(
      [`delete from callsheet.slices where ${FAILED}`, RESTATED],
      bundle,
    )
    expect(problems).toContainEqual(
      expect.stringMatching(
        /^the ledger of whiteboard_sessions differs from the signed entries \(rows that were/,
      ),
    )
    expect(days.proven).toBeUndefined()
  })

  it('is not trusted if its run was relabeled as a job that reads nothing', async () => {
    const { covered, said } = await tampered([
      `update callsheet.runs set job = 'evidence', state = 'complete'`,
    ])
    expect(covered).toBe(false)
    expect(said).toContain('a run that nobody stated')
  })

  it('is not trusted if its run was changed', async () => {
    const { covered, said } = await tampered([
      `update callsheet.runs set finished_at = finished_at + interval '1 hour'`,
    ])
    expect(covered).toBe(false)
    expect(said).toContain('the ledger of whiteboard_sessions differs from the signed entries')
  })

  it('is not trusted if the statements are not signed', async () => {
    const { covered, said } = await tampered([
      `update callsheet.checkpoints set note = replace(note, '— ', '— x')`,
    ])
    expect(covered).toBe(false)
    expect(said).toContain('of which the statement is not signed')
  })
})
