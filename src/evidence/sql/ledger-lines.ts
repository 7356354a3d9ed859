import { type RawBuilder, sql } from 'kysely'
import type { ROW_LEDGERS } from '../../core/records/statement.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** A ledger row that has its own statement. */
export interface StatedRow {
  subject: string
  /** The row as one line of JSON, with the stated columns in a fixed order. */
  line: string
}

export type RowLedger = (typeof ROW_LEDGERS)[number]

export interface RowsWanted {
  account: string
  ledger: RowLedger
  /** If given, only rows with these subjects. */
  subjects?: readonly string[] | undefined
}

/** The rows of a ledger that need statements, by subject. */
export function statedRows(tx: Transaction, wanted: RowsWanted): AsyncGenerator<StatedRow> {
  return cursorRows(tx, `stated ${wanted.ledger}`, rowsOf(wanted))
}

function rowsOf({ account, ledger, subjects }: RowsWanted): RawBuilder<StatedRow> {
  const { rows, name } = LEDGERS[ledger]
  const names = subjects?.map((one) => one.split('/').at(-1) ?? '')
  const subject = sql<string>`concat('ledger/', ${ledger}::text, '/', ${sql.id('t', name)})`
  const among = subjects === undefined ? sql`true` : sql`${subject} = ${anyOf(subjects)}`
  return sql<StatedRow>`
    select ${subject} as subject, row_to_json(t)::text as line
    from (${rows(account, names)}) t where ${among} order by ${subject} collate "C"`
}

interface Stated {
  rows(account: string, names: readonly string[] | undefined): RawBuilder<unknown>
  /** The column whose value is the last part of the subject. */
  name: string
}

/**
 * The rows and columns that are stated. `runs`: only the columns by which reports select a run, because other
 * run details are pruned; omits running runs, runs of jobs without streams, and runs that failed before they
 * were opened. `releases`: without the run that used the release, which is no decision. `suppressions`: one
 * row per request, with all its tokens. `rows`: the number and digest of the leaves that each transaction
 * wrote and removed.
 */
const LEDGERS: Readonly<Record<RowLedger, Stated>> = {
  runs: {
    rows: (account) => sql`
      select id, job, epoch, partial, state, started_at, finished_at, summary->'read' as read,
        summary->'notAllowed' as not_allowed
      from callsheet.runs where account = ${account} and state <> 'running'
        and not job = ${anyOf(WITHOUT_STREAMS)} and not summary ? 'unopened'`,
    name: 'id',
  },
  releases: {
    rows: (account) => sql`
      select stream || '/' || run_id as drop, missing, owned, at, approved_at
      from callsheet.deletion_guards where account = ${account} and approved_at is not null`,
    name: 'drop',
  },
  holds: {
    rows: (account) => sql`
      select id, name, reason, whiteboard_id, session_id, begins_at, ends_at, placed_by, released_at,
        released_by
      from callsheet.holds where account = ${account}`,
    name: 'id',
  },
  incidents: {
    rows: (account) => sql`
      select id, kind, subject, run_id, at, detail from callsheet.incidents where account = ${account}`,
    name: 'id',
  },
  retention: {
    rows: () => sql`select ledger, kept_from from callsheet.retention where ledger = 'slices'`,
    name: 'ledger',
  },
  settings: {
    rows: (account) => sql`
      select id, at, noted_by, settings from callsheet.audit_settings where account = ${account}`,
    name: 'id',
  },
  suppressions: {
    rows: (account) => sql`
      select request_id, array_agg(encode(token, 'hex') || ' ' || counts order by token) as marks
      from callsheet.suppressions where account = ${account} group by request_id`,
    name: 'request_id',
  },
  stamps: {
    rows: (account) => sql`
      select size, encode(sha256(body), 'hex') as token,
        encode(sha256(convert_to(coalesce(chain, ''), 'UTF8')), 'hex') as chain
      from callsheet.marks where account = ${account} and kind = 'stamp'`,
    name: 'size',
  },
  lakes: {
    rows: (account) => sql`
      select id, params, as_of, run_ids, published_at from callsheet.published_reports
      where account = ${account} and report = 'lake-export' and params ? 'version'`,
    name: 'id',
  },
  rows: {
    rows: (account, names) => sql`
      select batch, array_agg(concat_ws(' ', place, cardinality(wrote), ${digestOf('wrote')},
        cardinality(took), ${digestOf('took')}) order by id) as lists
      from callsheet.written where account = ${account}
        and ${names === undefined ? sql`true` : sql`batch = any(${[...names]}::text[])`}
      group by batch`,
    name: 'batch',
  },
}

function digestOf(list: string): RawBuilder<string> {
  return sql`encode(sha256(array_send(${sql.id(list)})), 'hex')`
}

/** Jobs that fetch files, sign or verify. No report reads streams as of their runs. */
const WITHOUT_STREAMS = ['archive', 'evidence', 'verify']
