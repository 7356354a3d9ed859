import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { exportAudit } from '../../src/audit/bundle/export-audit.ts'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import type { Ran } from '../../src/core/records/when-it-ran.ts'
import { OWNER } from '../helpers/stated-world.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const HOUR = 3_600_000
/** The instant this many hours after the first run, as the ledger writes it. */
const at = (hours: number): string => new Date(Date.parse(WORLD_NOW) + hours * HOUR).toISOString()

let world: World
let directory: string

/** Runs at 0, 6, 56 and 62 hours, though one is due every six. At 12 hours a process was killed. */
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  directory = mkdtempSync(join(tmpdir(), 'callsheet-runs-'))
  const run = () => world.sync({ jobs: [whiteboardArchives] })
  await run()
  await world.advance(6 * HOUR)
  await run()
  await world.advance(6 * HOUR)
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at)
    values (${OWNER}, 'whiteboard-archives', 0, 'running', callsheet.clock())`.execute(
    world.warehouse.db,
  )
  await world.advance(44 * HOUR)
  await run()
  await world.advance(6 * HOUR)
  await run()
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

async function bundle(from: string, to: string) {
  const { key, streams } = world.account.deps.evidence?.() ?? {}
  const store = await world.account.deps.archive?.store()
  if (key === undefined || streams === undefined || store === undefined)
    throw new Error('no evidence')
  const path = join(directory, 'audit.zip')
  const { problems } = await exportAudit(
    { warehouse: world.warehouse, clock: world.account.deps.clock },
    {
      scope: { account: OWNER, from, to, whiteboard: undefined, user: undefined },
      store,
      key,
      previousKeys: [],
      streams,
      path,
      by: 'a test',
      signal: new AbortController().signal,
    },
  )
  const { findings, days } = await verifyBundle(path, { key: key.publicKey.fingerprint })
  return { problems, findings, ran: days?.ran, audited: days?.audited }
}

/** Tampers with the runs, with write access but without the key; undone after `make`. */
async function tampered<Made>(statement: string, make: () => Promise<Made>): Promise<Made> {
  await world.warehouse.withClient(async (client) => {
    await client.query('create table public.kept as table callsheet.runs')
    await client.query(statement)
  })
  try {
    return await make()
  } finally {
    await world.warehouse.withClient(async (client) => {
      await client.query('delete from callsheet.runs')
      await client.query('insert into callsheet.runs overriding system value table public.kept')
      await client.query('drop table public.kept')
    })
  }
}

const DAYS = ['2026-07-01T00:00:00.000Z', '2026-07-12T00:00:00.000Z'] as const

describe('a bundle’s list of runs', () => {
  it('lists the gaps between complete runs, and does not count a killed run', async () => {
    const { problems, findings, ran } = await bundle(...DAYS)
    expect([problems, findings]).toEqual([[], []])
    expect(ran).toEqual({
      runs: 5,
      first: at(0),
      last: at(62),
      gaps: [{ from: at(12), to: at(56) }],
    } satisfies Ran)
  })

  it('also lists the gap between the last run and its own creation', async () => {
    await world.advance(8 * HOUR)
    const { ran } = await bundle(...DAYS)
    expect(ran?.gaps).toEqual([
      { from: at(12), to: at(56) },
      { from: at(62), to: at(70) },
    ])
  })

  it('of days without a run includes the runs before and after them, and the gap', async () => {
    const [from, to] = ['2026-07-10T00:00:00.000Z', '2026-07-10T01:00:00.000Z']
    expect((await bundle(from, to)).ran).toEqual({
      runs: 2,
      first: at(12),
      last: at(56),
      gaps: [{ from: at(12), to: at(56) }],
    })
    const before = ['2026-06-10T00:00:00.000Z', '2026-06-12T00:00:00.000Z'] as const
    expect((await bundle(...before)).ran).toEqual({ runs: 1, first: at(0), last: at(0), gaps: [] })
  })

  it('lists a longer gap if a run was removed', async () => {
    const statement = `delete from callsheet.runs where started_at = '${at(56)}'`
    const { ran } = await tampered(statement, () => bundle(...DAYS))
    expect(ran?.gaps[0]).toEqual({ from: at(12), to: at(62) })
    const first = `delete from callsheet.runs where started_at < '${at(56)}'`
    const without = await tampered(first, () => bundle(...DAYS))
    expect(without.ran?.first).toBe(at(56))
    expect(without.ran?.gaps[0]).toEqual({ from: without.audited?.[0]?.since, to: at(56) })
  })

  it('ignores an inserted run, and reports a changed one', async () => {
    const put = `insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
      values ('${OWNER}', 'whiteboard-archives', 0, 'complete', '${at(18)}', '${at(50)}')`
    expect((await tampered(put, () => bundle(...DAYS))).ran?.gaps[0]?.to).toBe(at(56))
    const changed = `update callsheet.runs set finished_at = '${at(50)}', state = 'complete'
      where started_at = '${at(12)}'`
    const { problems, ran } = await tampered(changed, () => bundle(...DAYS))
    expect(problems).toEqual([
      expect.stringMatching(
        /^the ledger differs from entry \d+ \(ledger\/runs\/\d+\): run callsheet/,
      ),
    ])
    expect(ran).toBeUndefined()
  })

  it('states the audit settings of its days', async () => {
    const { audited } = await bundle(...DAYS)
    expect(audited).toMatchObject([
      {
        since: expect.stringMatching(/^2026-07-08T02:30:00/) as string,
        settings: { files: [{ kind: 'activity' }], retention: [], ledger_months: null },
      },
    ])
  })
})
