import { connect, type DatabaseClient, type Warehouse } from '../src/warehouse/connect.ts'
import { WATCHING } from './database.ts'
import type { PartOptions } from './part.ts'
import { openStage, type Stage } from './stage.ts'

export type Layout = 'one table' | 'partitions'

export interface GrowthStage {
  layout: Layout
  accounts: number
  /** The studied account's own night, as the engine does it. */
  night: Stage
  warehouse: Warehouse
  close(): Promise<void>
}

/**
 * An account with its sessions, as the engine loads them, among as many others as wanted. The others are
 * copies under other names, and lie beside it on disk as if each had been loaded night by night.
 */
export async function openGrowthStage(
  { layout, accounts, sessions }: { layout: Layout; accounts: number; sessions: number },
  options: PartOptions,
): Promise<GrowthStage> {
  const night = await openStage('sessions', sessions, options)
  const warehouse = connect({
    url: night.database.url,
    poolSize: 1,
    statementTimeoutMs: 1_800_000,
    applicationName: WATCHING,
  })
  try {
    await night.ours('first')
    await warehouse.withClient(async (client) => {
      // Autovacuum's work would count as a step's.
      await client.query('alter system set autovacuum = off')
      await client.query('select pg_reload_conf()')
      await spread(client, { layout, accounts })
    })
  } catch (error) {
    await warehouse.close()
    await night.close()
    throw error
  }
  return {
    layout,
    accounts,
    night,
    warehouse,
    async close() {
      await warehouse.close()
      await night.close()
    },
  }
}

async function spread(
  client: DatabaseClient,
  { layout, accounts }: { layout: Layout; accounts: number },
): Promise<void> {
  const indexes = await texts(
    client,
    `select pg_get_indexdef(indexrelid) as text from pg_index
     where indrelid = 'svc.session_reports'::regclass order by indexrelid`,
  )
  const triggers = await texts(
    client,
    `select pg_get_triggerdef(oid) as text from pg_trigger
     where tgrelid = 'svc.session_reports'::regclass and not tgisinternal order by tgname`,
  )
  const columns = await texts(
    client,
    `select quote_ident(attname) as text from pg_attribute where attrelid = 'svc.session_reports'::regclass
       and attnum > 1 and not attisdropped order by attnum`,
  )
  const days = await texts(
    client,
    `select distinct (start_time at time zone 'UTC')::date::text as text from svc.session_reports
     order by 1`,
  )
  // A table that this transaction makes is not written to the log, as `wal_level` is minimal.
  await client.query('begin')
  await client.query(`set local maintenance_work_mem = '512MB'`)
  await client.query(`set local work_mem = '256MB'`)
  await client.query('create schema spread')
  await makeTable(client, layout)
  for (const day of days)
    await client.query(
      `insert into spread.session_reports (account, ${columns.join(', ')})
       select name, ${columns.join(', ')}
       from (select 'bench' as name, 0 as n union all
         select 'account-' || n, n from generate_series(1, $1::int - 1) n) a, svc.session_reports s
       where s.start_time >= $2::date and s.start_time < $2::date + 1
       order by (n + $1::int / 2) % $1::int, id`,
      [accounts, day],
    )
  for (const index of indexes) await client.query(index.replace(' ON svc.', ' ON spread.'))
  for (const trigger of triggers) await client.query(trigger.replace(' ON svc.', ' ON spread.'))
  await client.query('create schema before')
  await client.query('alter table svc.session_reports set schema before')
  await client.query('alter table spread.session_reports set schema svc')
  await client.query('commit')
  await client.query('vacuum (analyze) svc.session_reports')
  await client.query('checkpoint')
}

async function makeTable(client: DatabaseClient, layout: Layout): Promise<void> {
  const hashed = layout === 'partitions' ? 'partition by hash (account)' : ''
  await client.query(
    `create table spread.session_reports (like svc.session_reports including defaults) ${hashed}`,
  )
  if (layout === 'one table') return
  for (let n = 0; n < PARTITIONS; n++)
    await client.query(
      `create table spread.session_reports_${n} partition of spread.session_reports
       for values with (modulus ${PARTITIONS}, remainder ${n})`,
    )
}

async function texts(client: DatabaseClient, query: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(query)
  return rows.map(({ text }) => text)
}

const PARTITIONS = 16
