import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { declaredStreams } from '../../src/resources/declared.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { REPORT_VIEWS, VALIDITY } from '../../src/warehouse/schema/report-views.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

describe('the migrated tables', () => {
  it('are exactly those of all streams', async () => {
    const names = declaredStreams.map(({ name }) => name)
    expect(names.length).toBeGreaterThan(30)
    expect(await tablesOf('svc')).toEqual(names)
    expect((await tablesOf('history')).filter((name) => !name.endsWith('_default'))).toEqual(names)
    const versions = names.map((name) => `history_${name}`)
    const besides = ['notifications', 'room_alerts', ...Object.keys(REPORT_VIEWS)]
    expect(await tablesOf('report')).toEqual([...names, ...versions, ...besides].toSorted())
  })

  describe.each(declaredStreams.map((stream) => [stream.name, stream] as const))(
    '%s',
    (name, stream) => {
      it('has the columns of its stream and their types, the first ones in order', async () => {
        const own = Object.entries(stream.columns).map(([column, { pg }]) =>
          line(column, pg, stream.key.includes(column)),
        )
        const expected = ['account text not null', ...own, ...BOOKKEEPING]
        const held = await columnsOf('svc', name)
        const past = await columnsOf('history', name)
        expect(held.toSorted()).toEqual(expected.toSorted())
        expect(past.toSorted()).toEqual([...expected, ...ENDING].toSorted())
        // Columns that were added later follow all earlier ones.
        const first = held.slice(0, 1 + stream.key.length)
        expect(expected.slice(0, first.length)).toEqual(first)
      })

      it('has the primary key (account, ...key) in code point order', async () => {
        expect(await primaryKeyOf(name)).toEqual(['account', ...stream.key])
        const texts = stream.key.filter((column) => stream.columns[column]?.pg === 'text')
        expect((await codePointColumns(name)).sort()).toEqual(['account', ...texts].sort())
      })

      it('has its indexes, and its history is partitioned by the end of validity', async () => {
        const indexes = await indexesOf('svc', name)
        const { sync } = stream
        if (sync.kind === 'windows') expect(indexes).toContain(`account, ${sync.cursor}`)
        expect(await indexesOf('history', name)).toContain(
          ['account', ...stream.key, '_valid_to'].join(', '),
        )
        expect(await partitionKeyOf(name)).toBe('RANGE (_valid_to)')
      })

      it('has a view of all versions with the columns of the stream', async () => {
        const columns = (await columnsOf('report', `history_${name}`)).map(
          (text) => text.split(' ')[0],
        )
        const expected = ['account', ...Object.keys(stream.columns), ...Object.keys(VALIDITY)]
        expect(new Set(columns)).toEqual(new Set(expected))
      })

      it('has a view of the present rows with the columns of the stream', async () => {
        const columns = (await columnsOf('report', name)).map((text) => text.split(' ')[0])
        const more = MORE_IN_VIEW[name] ?? []
        const expected = ['account', ...Object.keys(stream.columns), ...more]
        expect(new Set(columns)).toEqual(new Set(expected))
      })
    },
  )
})

/** Columns that a view computes beside the stream's own. */
const MORE_IN_VIEW: Readonly<Record<string, readonly string[]>> = {
  whiteboard_sessions: ['state'],
  recording_sessions: ['state'],
  whiteboard_collaborators: ['possibly_truncated'],
}

const BOOKKEEPING = [
  '_raw jsonb not null',
  '_bytes bytea',
  '_hash bytea not null',
  '_first_seen_at timestamp with time zone not null',
  '_changed_at timestamp with time zone not null',
  '_deleted_at timestamp with time zone',
  '_run_id bigint not null',
  '_deleted_run_id bigint',
  '_salt bytea not null',
]
const ENDING = [
  '_valid_from timestamp with time zone not null',
  '_valid_to timestamp with time zone not null',
  '_ended_by_run bigint not null',
  '_end text not null',
]

function line(column: string, pg: string, notNull: boolean): string {
  const type = pg === 'timestamptz' ? 'timestamp with time zone' : pg
  return `${column} ${type}${notNull ? ' not null' : ''}`
}

async function strings(query: ReturnType<typeof sql<{ s: string }>>): Promise<string[]> {
  return (await query.execute(warehouse.db)).rows.map(({ s }) => s)
}

const tablesOf = (schema: string) =>
  strings(sql`select relname as s from pg_class where relnamespace = ${schema}::regnamespace
    and relkind in ('r', 'p', 'v') order by relname collate "C"`)

const columnsOf = (schema: string, table: string) =>
  strings(sql`select attname || ' ' || format_type(atttypid, atttypmod)
      || case when attnotnull then ' not null' else '' end as s
    from pg_attribute where attrelid = ${`${schema}.${table}`}::regclass and attnum > 0
    order by attnum`)

const primaryKeyOf = (table: string) =>
  strings(sql`select attname as s from pg_index, unnest(indkey) with ordinality as k(number, place)
    join pg_attribute on attnum = number
    where indrelid = ${`svc.${table}`}::regclass and attrelid = indrelid and indisprimary
    order by place`)

const codePointColumns = (table: string) =>
  strings(sql`select attname as s from pg_attribute join pg_collation c on c.oid = attcollation
    where attrelid = ${`svc.${table}`}::regclass and collname = 'C'`)

const indexesOf = (schema: string, table: string) =>
  strings(sql`select substring(pg_get_indexdef(indexrelid) from '\\((.*?)\\)') as s
    from pg_index where indrelid = ${`${schema}.${table}`}::regclass`)

const partitionKeyOf = async (table: string) =>
  (await strings(sql`select pg_get_partkeydef(${`history.${table}`}::regclass) as s`))[0]
