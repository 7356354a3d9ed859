import { type AliasableExpression, type RawBuilder, sql } from 'kysely'
import type {
  AccountRows,
  EndedRows,
  LiveAccount,
  RowQuery,
  TextRow,
} from '../core/define/desired.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import { ConfigurationError } from '../core/errors.ts'
import { decidingStream, type RowSettings } from '../core/records/row-part.ts'
import { utcMinutes } from '../core/time/time.ts'
import { rowsAsOf } from '../report/report-rows.ts'
import { lastRun } from '../report/source-runs.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { anyOf } from '../warehouse/schema/expressions.ts'
import { readWrites } from './write-log.ts'

/** Reads the account from its tables, which must just have been synced. */
export function liveAccount(
  { warehouse, clock, quarantineDays = 0, rows: parts }: EngineDeps,
  account: string,
): LiveAccount {
  const current = (stream: Stream): RawBuilder<unknown> =>
    sql`(select * from ${sql.id('svc', stream.name)}
      where account = ${account} and _deleted_at is null)`
  return {
    nowMs: clock.now(),
    quarantineDays,
    endedAtMs: (query) => readEnds(warehouse, query, account),
    async rows(query) {
      refusePart(parts, query.stream, account)
      return await readRows(warehouse, query, current(query.stream))
    },
    async writes(operations) {
      const ids = operations.map(({ id }) => id)
      const made = await readWrites(warehouse.db, { account, operations: ids })
      return made.map(({ arguments: args, body, askedAt, ...write }) => ({
        ...write,
        path: args.path ?? {},
        body: body ?? {},
        askedAtMs: Date.parse(askedAt),
      }))
    },
  }
}

/** Throws if only a part of the stream is kept, because apply would create its other records again. */
function refusePart(parts: RowSettings | undefined, stream: Stream, account: string): void {
  const { name } = decidingStream(stream)
  if (parts?.[name] === undefined) return
  throw new ConfigurationError('part_kept', {
    tried: `Comparing the file with ${stream.name} of account ${account}`,
    came: `accounts[].rows keeps only a part of ${name}, so what the account has outside it is unknown`,
    todo: `apply the file from a configuration without rows.${name}, and with a database of its own`,
  })
}

async function readEnds(
  { db }: Warehouse,
  { stream, by }: EndedRows,
  account: string,
): Promise<ReadonlyMap<string, number>> {
  const column = sql.id(by.column)
  const { rows } = await sql<{ value: string; at: string }>`
    select ${column}::text as value, max(_valid_to) as at from ${sql.id('history', stream.name)}
    where account = ${account} and ${column} = ${anyOf(by.values)} group by 1`.execute(db)
  return new Map(rows.map(({ value, at }) => [value, Date.parse(at)]))
}

/** Returns the account as a workbook showed it at an instant. */
export function accountAsOf(
  { warehouse }: Pick<EngineDeps, 'warehouse'>,
  account: string,
  asOfMs: number,
): AccountRows {
  // A workbook is compared in batches of lines, and all batches use the same run.
  const runs = new Map<string, ReturnType<typeof lastRun>>()
  const runOf = (stream: string) => {
    const known = runs.get(stream)
    if (known !== undefined) return known
    const run = lastRun(warehouse.db, { account, stream, endedByMs: asOfMs })
    runs.set(stream, run)
    return run
  }
  return {
    async rows(query) {
      const { name } = fetchedStream(query.stream)
      const run = await runOf(name)
      if (run === undefined) throw notKnown(asOfMs, name)
      return await readRows(warehouse, query, rowsAsOf(query.stream, account, run))
    },
  }
}

async function readRows(
  { db }: Warehouse,
  { columns, by, distinct }: RowQuery,
  relation: AliasableExpression<unknown>,
): Promise<TextRow[]> {
  const texts = columns.map((name) => sql<string | null>`${sql.id(name)}::text`.as(name))
  const all = db.selectFrom(relation.as('r')).select(texts)
  const some = by === undefined ? all : all.where(sql.id(by.column), '=', anyOf(by.values))
  return await (distinct ? some.distinct() : some).execute()
}

function notKnown(asOfMs: number, stream: string): ConfigurationError {
  const day = utcMinutes(asOfMs)
  return new ConfigurationError('inventory_unknown', {
    tried: `Looking up what the workbook showed as of ${day} UTC`,
    came: `no run of this account had read ${stream} by then, or the records of such a run were pruned`,
    todo: 'create a new inventory with callsheet report number-inventory, edit it and apply that',
  })
}
