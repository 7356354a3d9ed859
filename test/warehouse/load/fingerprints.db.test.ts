import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { keyHash } from '../../../src/core/records/record-key.ts'
import type { Owned } from '../../../src/core/records/row-batch.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { whiteboardActivities } from '../../../src/resources/whiteboard-archives.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { loadFingerprints, missingKeys } from '../../../src/warehouse/load/fingerprints.ts'
import { useWarehouse } from '../../helpers/database.ts'

const MANY = 50_010
const FEW = 7
const ALL: Owned = { kind: 'all' }
const THAT_DAY: Owned = {
  kind: 'windows',
  column: 'create_time',
  windows: [
    { fromMs: Date.parse('2026-07-01T00:00:00Z'), toMs: Date.parse('2026-07-02T00:00:00Z') },
  ],
}

const ofParents = (...keys: string[]): Owned => ({ kind: 'parents', column: 'session_id', keys })
const scopeOf = (owned: Owned, account = 'a') => ({ account, stream: whiteboardActivities, owned })
const contentOf = (id: string): Buffer => createHash('md5').update(id).digest()

describe('the fingerprints of the rows that a group owns', () => {
  let warehouse: Warehouse
  useWarehouse((made) => (warehouse = made))

  beforeAll(async () => {
    await insert({ account: 'a', session: 'many', rows: MANY, day: '2026-07-01' })
    await insert({ account: 'a', session: "few's $1", rows: FEW, day: '2026-07-02' })
    await insert({ account: 'b', session: 'many', rows: FEW, day: '2026-07-01' })
  })

  const insert = async (of: { account: string; session: string; rows: number; day: string }) => {
    await sql`insert into svc.whiteboard_activities
        (account, session_id, id, create_time, _raw, _hash, _run_id, _first_seen_at, _changed_at)
      select ${of.account}, ${of.session}, 'id ' || n, ${of.day}::date + interval '1 minute', '{}',
        decode(md5('id ' || n), 'hex'), 1, now(), now()
      from generate_series(1, ${of.rows}::int) n`.execute(warehouse.db)
  }

  const owning: [string, Owned, number][] = [
    ['everything', ALL, MANY + FEW],
    ['a window, without rows outside it', THAT_DAY, MANY],
    ['few parents', ofParents("few's $1", 'none'), FEW],
    ['parents with more rows than fit one value', ofParents('many', "few's $1"), MANY + FEW],
    ['no parent', ofParents(), 0],
  ]
  for (const [what, owned, rows] of owning)
    it(`are loaded for ${what}`, async () => {
      const table = await loadFingerprints(warehouse, scopeOf(owned))
      expect(table.size).toBe(rows)
      const session = owned === THAT_DAY ? 'many' : "few's $1"
      const key = keyHash([session, `id ${FEW}`])
      expect(table.judge(key, contentOf(`id ${FEW}`), 1)).toBe(rows === 0 ? 'new' : 'unchanged')
      expect(table.judge(keyHash([session, 'id 0']), contentOf('id 0'), 1)).toBe('new')
    })

  it('are loaded for one account only', async () => {
    const table = await loadFingerprints(warehouse, scopeOf(ALL, 'b'))
    expect(table.size).toBe(FEW)
  })

  it('are not added again to a table that already has them', async () => {
    const table = await loadFingerprints(warehouse, scopeOf(ofParents("few's $1")))
    await loadFingerprints(warehouse, scopeOf(ALL), table)
    expect(table.size).toBe(MANY + FEW)
  })

  it('find the keys of rows that were not received, sorted', async () => {
    const owned = ofParents("few's $1")
    const table: FingerprintTable = await loadFingerprints(warehouse, scopeOf(owned))
    for (const n of [1, 3, 4, 6, 7])
      table.judge(keyHash(["few's $1", `id ${n}`]), contentOf(`id ${n}`), 1)
    expect(await missingKeys(warehouse, scopeOf(owned), table)).toEqual([
      ["few's $1", 'id 2'],
      ["few's $1", 'id 5'],
    ])
  })

  it('find the key of a missing row even if an earlier pass received it with other bytes', async () => {
    const owned = ofParents("few's $1")
    const table = await loadFingerprints(warehouse, scopeOf(owned))
    // The database found the same meaning, and kept the bytes it had.
    table.admit(keyHash(["few's $1", 'id 2']), contentOf('spelled otherwise'), 1)
    table.forgetSeen()
    for (const n of [1, 3, 4, 5, 7])
      table.judge(keyHash(["few's $1", `id ${n}`]), contentOf(`id ${n}`), 2)
    expect(await missingKeys(warehouse, scopeOf(owned), table)).toEqual([
      ["few's $1", 'id 2'],
      ["few's $1", 'id 6'],
    ])
  })

  it('find all keys of a list from which nothing was received', async () => {
    const table = await loadFingerprints(warehouse, scopeOf(ALL))
    expect(await missingKeys(warehouse, scopeOf(ALL), table)).toHaveLength(MANY + FEW)
  })
})

describe('a row that a window misses', () => {
  let warehouse: Warehouse
  useWarehouse((made) => (warehouse = made))

  it('is found without reading the rows of other windows', async () => {
    await sql`insert into svc.session_reports
        (account, id, start_time, _raw, _hash, _run_id, _first_seen_at, _changed_at)
      select 'a', md5('id ' || n), '2026-01-01Z'::timestamptz + n * interval '13 minutes', '{}',
        decode(md5('id ' || n), 'hex'), 1, now(), now()
      from generate_series(0, ${ROWS - 1}::int) n`.execute(warehouse.db)
    await sql`analyze svc.session_reports`.execute(warehouse.db)
    const [fromMs, toMs] = [Date.parse('2026-03-01'), Date.parse('2026-04-01')]
    const owned: Owned = { kind: 'windows', column: 'start_time', windows: [{ fromMs, toMs }] }
    const scope = { account: 'a', stream: sessionReports, owned }
    const table = await loadFingerprints(warehouse, scope)
    const own = table.size
    let lost = ''
    for (let n = 0; n < ROWS; n++) {
      const id = createHash('md5').update(`id ${n}`).digest()
      const key = keyHash([id.toString('hex')])
      if (!table.has(key)) continue
      if (lost === '') lost = id.toString('hex')
      else table.judge(key, id, 1)
    }
    const before = await rowsRead()
    expect(await missingKeys(warehouse, scope, table)).toEqual([[lost]])
    expect((await rowsRead()) - before).toBeLessThan(2 * own)
  })

  async function rowsRead(): Promise<number> {
    return await warehouse.withClient(async (client) => {
      await client.query('select pg_stat_force_next_flush()')
      const { rows } = await client.query<{ read: number }>(
        `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
        where schemaname = 'svc' and relname = 'session_reports'`,
      )
      return rows[0]?.read ?? 0
    })
  }
})

const ROWS = 20_000
