import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { AuditSettings } from '../../src/core/records/audit-settings.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { OWNER, verifyWorld } from '../helpers/stated-world.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeAll(async () => {
  const retention = [{ keepDays: 400, labels: ['Internal'] }, { keepDays: 3650 }]
  world = await openWorld({ sizes: TINY, archive: { files: true, retention } })
  await world.sync({ jobs: [whiteboardArchives] })
})
afterAll(() => world.close())

interface Row {
  id: number
  at: string
  noted_by: string
  settings: AuditSettings
}

async function rows(): Promise<Row[]> {
  const found = await sql<Row>`
    select id, at, noted_by, settings from callsheet.audit_settings where account = ${OWNER}
    order by id`.execute(world.warehouse.db)
  return found.rows
}

async function statements(): Promise<string[]> {
  const { rows: found } = await sql<{ subject: string }>`
    select subject from callsheet.manifest where kind = 'statement' and subject ~ '^ledger/settings/'
    order by seq`.execute(world.warehouse.db)
  return found.map(({ subject }) => subject)
}

/** Syncs with a configuration that keeps the ledger for this number of months. */
async function syncWith(months: number): Promise<void> {
  const { deps } = world.account
  const signing = deps.evidence?.()
  if (signing?.audits === undefined) throw new Error('nothing says what is audited')
  const { settings } = signing.audits
  const audits = { settings: { ...settings, ledger_months: months }, notedBy: 'somebody else' }
  await syncAccount(
    { ...deps, evidence: () => ({ ...signing, audits }) },
    { account: OWNER, jobs: [whiteboardArchives], signal: new AbortController().signal },
  )
}

describe('the statement of the audit settings', () => {
  it('is written before the first run, and contains no secret', async () => {
    const [first, ...more] = await rows()
    expect(more).toEqual([])
    expect(await statements()).toEqual([`ledger/settings/${first?.id}`])
    const { rows: runs } = await sql<{ started_at: string }>`
      select min(started_at) as started_at from callsheet.runs`.execute(world.warehouse.db)
    expect(Date.parse(first?.at ?? '')).toBeLessThanOrEqual(Date.parse(runs[0]?.started_at ?? ''))
    const { clientSecret } = world.account.settings
    const secret = clientSecret?.reveal() ?? ''
    expect(secret).not.toBe('')
    expect(JSON.stringify(first)).not.toContain(secret)
    expect(first?.settings).toEqual({
      jobs: [
        {
          job: 'whiteboard-archives',
          enabled: true,
          schedule: '0 */6 * * *',
          timezone: 'UTC',
          longest_wait_ms: 6 * 3_600_000,
          streams: [
            { stream: 'whiteboard_sessions', audited: true, history_days: expect.any(Number) },
            { stream: 'whiteboard_participants', audited: false, history_days: null },
            { stream: 'whiteboard_activities', audited: true, history_days: null },
          ],
        },
      ],
      files: [{ kind: 'activity', most_days: null, most_bytes: null }],
      retention: [{ keep_days: 400, labels: ['Internal'] }, { keep_days: 3650 }],
      ledger_months: null,
    })
  })

  it('is written only once while the settings do not change', async () => {
    await world.sync({ jobs: [whiteboardArchives] })
    expect(await rows()).toHaveLength(1)
    expect(await statements()).toHaveLength(1)
  })

  it('is written again after each change of the settings, with the user and the time', async () => {
    await world.advance(3_600_000)
    await syncWith(24)
    await world.sync({ jobs: [whiteboardArchives] })
    const found = await rows()
    expect(found.map(({ settings }) => settings.ledger_months)).toEqual([null, 24, null])
    expect(found[1]).toMatchObject({ noted_by: 'somebody else' })
    expect(Date.parse(found[1]?.at ?? '') - Date.parse(found[0]?.at ?? '')).toBe(3_600_000)
    expect(await statements()).toEqual(found.map(({ id }) => `ledger/settings/${id}`))
    expect((await verifyWorld(world)).findings).toEqual([])
  })
})
