import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, openStatedWorld, type StatedWorld } from '../../helpers/stated-world.ts'

interface Ledger {
  /** The SQL condition that selects the row. */
  where: string
  /** The SQL expression for the row's name in a finding. */
  what: string
  /** The columns that no proof reads, and why. */
  unread?: Record<string, string>
  /** The SQL expressions for new values of columns that accept only certain values. */
  changes?: Record<string, string>
}

const OTHER_STATE = `case state when 'complete' then 'failed' else 'complete' end`
const ONE_SLICE = `account = '${OWNER}' and (stream, slice) in (select stream, slice
  from callsheet.slices where account = '${OWNER}' order by stream, slice limit 1)`

const LEDGERS: Readonly<Record<string, Ledger>> = {
  slices: {
    where: `${ONE_SLICE} and run_id = (select min(run_id) from callsheet.slices where ${ONE_SLICE})`,
    what: `'the slices of ' || stream || ' by run ' || run_id || ', batch ' || batch`,
    changes: { state: OTHER_STATE },
  },
  slice_states: {
    where: ONE_SLICE,
    what: `'the state of ' || stream || ', ' || slice`,
    changes: { state: OTHER_STATE },
    unread: {
      failures: 'how often a read was in vain says when the next is due',
      refusals: 'the same',
    },
  },
  runs: {
    where: `id = (select min(id) from callsheet.runs)`,
    what: `'run ' || id`,
    changes: {
      id: 'id + 1000',
      state: `'incomplete'`,
      summary: `jsonb_set(summary, '{read}', '["x"]')`,
    },
    unread: {
      planned: 'counts of what was to be read, for status',
      error: 'a message for people',
    },
  },
  deletion_guards: {
    where: `account = '${OWNER}'`,
    what: `'the release of the drop ' || stream || '/' || run_id`,
    unread: { used_by_run_id: 'which run used the release is no decision' },
  },
  holds: { where: `name = 'case-1'`, what: `'hold ' || id` },
  incidents: {
    where: `subject = 'activity:s:a'`,
    what: `'incident ' || id`,
    changes: { kind: `'expired_before_download'` },
  },
  retention: {
    where: `ledger = 'slices'`,
    what: `'since when the ledger is kept: ' || ledger`,
    changes: { ledger: `'notifications'` },
  },
  audit_settings: { where: 'true', what: `'what is audited, row ' || id` },
}

const CHANGES: Readonly<Record<string, (name: string) => string>> = {
  text: (name) => `coalesce(${name}, '') || 'x'`,
  bigint: (name) => `coalesce(${name}, 0) + 1`,
  integer: (name) => `coalesce(${name}, 0) + 1`,
  bytea: (name) => `coalesce(${name}, ''::bytea) || '\\x00'::bytea`,
  boolean: (name) => `not coalesce(${name}, false)`,
  jsonb: (name) => `${name} || '{"x": 1}'`,
  ARRAY: (name) => `${name} || 1::bigint`,
  'timestamp with time zone': (name) => `coalesce(${name}, now()) + interval '1 second'`,
}

let stated: StatedWorld
beforeAll(async () => {
  stated = await openStatedWorld()
})
afterAll(() => stated.world.close())

describe('verify of stated columns', () => {
  it('finds nothing if nothing was changed', async () => {
    const { findings, notJudged } = await stated.verify()
    expect(findings).toEqual([])
    expect(notJudged.filter((said) => said.includes('state'))).toEqual([])
  })

  it.each(Object.entries(LEDGERS))(
    'reports a row of %s with a changed column, except columns that no proof reads',
    async (table, { where, what, unread = {}, changes = {} }) => {
      const { db } = stated.world.warehouse
      const { rows } = await sql<{ what: string }>`
        select ${sql.raw(what)} as what from ${sql.table(`callsheet.${table}`)} t
        where ${sql.raw(where)}`.execute(db)
      expect(rows).toHaveLength(1)
      const columns = await columnsOf(table)
      expect(columns.length).toBeGreaterThan(1)
      const unnamed: string[] = []
      for (const { name, type } of columns) {
        const to = changes[name] ?? CHANGES[type]?.(name) ?? ''
        await stated.tamper(`update callsheet.${table} t set ${name} = ${to} where ${where}`)
        const { findings } = await stated.verify()
        if (!findings.some((one) => one.what === rows[0]?.what)) unnamed.push(name)
        await stated.restore([table])
      }
      expect(unnamed.toSorted()).toEqual(Object.keys(unread).toSorted())
    },
  )

  it('finds nothing once every change is reverted', async () => {
    expect((await stated.verify()).findings).toEqual([])
  })
})

async function columnsOf(table: string): Promise<{ name: string; type: string }[]> {
  const { rows } = await sql<{ name: string; type: string }>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'callsheet' and table_name = ${table} order by ordinal_position`.execute(
    stated.world.warehouse.db,
  )
  return rows
}
