import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { frozenClock } from '../../src/core/time/clock.ts'
import { pruneLedger } from '../../src/serve/ledger/prune-ledgers.ts'
import { installQueue } from '../../src/serve/queue/queue.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { ensureMonthPartitions } from '../../src/warehouse/partitions.ts'
import { emptyDatabase, type TestDatabase } from '../helpers/database.ts'
import { newKey } from '../helpers/evidence-stage.ts'
import { fillOldLedgers, PRUNED_MS } from '../serve/ledger/old-ledgers.ts'

/**
 * If a publication covers a table without a replica identity, Postgres refuses its updates and deletions,
 * whatever `wal_level` is. Tools that capture changes publish all tables.
 */
let database: TestDatabase
let warehouse: Warehouse
beforeEach(async () => {
  database = await emptyDatabase()
  warehouse = connect({ url: database.url, frozenNow: PRUNED_MS })
})
afterEach(async () => {
  await warehouse.close()
  await database.drop()
})

describe('a database with a publication for all tables', () => {
  it('can be migrated, and each of its tables has a replica identity, also later tables', async () => {
    await sql`create publication captured for all tables`.execute(warehouse.db)
    expect(await migrate(warehouse, migrations)).toEqual(Object.keys(migrations))
    await installQueue({ warehouse, observer: silentObserver })
    await ensureMonthPartitions(warehouse)
    await fillOldLedgers(database.url)
    const pruned = await pruneLedger(
      { warehouse, clock: frozenClock(PRUNED_MS), observer: silentObserver, key: newKey },
      { ledger: 'slices', months: 6, signal: new AbortController().signal },
    )
    expect(pruned.months.length).toBeGreaterThan(3)
    const tables = await tablesWithIdentity()
    expect(tables.length).toBeGreaterThan(200)
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'callsheet.slices_before',
        'callsheet.slices_2026_11',
        'callsheet.placed_files',
        'callsheet.migrations_lock',
        'history.users',
        'history.users_2026_10',
        'callsheet_queue.job_common',
      ]),
    )
    expect(tables.filter(({ identified }) => !identified)).toEqual([])
  })
})

interface Identified {
  name: string
  identified: boolean
}

/** All tables that a publication can include: temporary and unlogged ones are never published. */
async function tablesWithIdentity(): Promise<Identified[]> {
  const { rows } = await sql<Identified>`
    select format('%s.%s', n.nspname, c.relname) as name, case c.relreplident
        when 'd' then exists (select from pg_index where indrelid = c.oid and indisprimary)
        when 'i' then exists (select from pg_index where indrelid = c.oid and indisreplident)
        else c.relreplident = 'f' end as identified
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and c.relpersistence = 'p'
      and n.nspname not in ('pg_catalog', 'information_schema')
    order by 1`.execute(warehouse.db)
  return rows
}
