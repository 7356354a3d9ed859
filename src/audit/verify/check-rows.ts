import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { BASELINE } from '../../core/records/statement.ts'
import type { RowSchema } from '../../evidence/sql/audited-records.ts'
import { rowLeaves } from '../../evidence/sql/row-leaf.ts'
import { statementAbout } from '../../evidence/sql/statements.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { tableOf } from '../../warehouse/schema/table-sql.ts'
import { checkStated } from './check-ledgers.ts'
import type { Comparing } from './verifying.ts'

/**
 * Holds every row of the streams, and every version of before, against what was written and taken by the
 * transactions that the program stated: with all columns, also those by which reports choose rows. What a
 * transaction did that is not stated counts as not done.
 */
export async function checkRows(
  tx: Transaction,
  comparing: Comparing,
  streams: readonly Stream[],
): Promise<void> {
  const { account } = comparing
  if ((await statementAbout(tx, account, BASELINE)) === undefined) return
  const unstated = await checkStated(tx, comparing, 'rows')
  for (const stream of streams)
    for (const where of ['svc', 'history'] as const)
      await checkTable(tx, comparing, { account, stream, where, unstated })
}

interface RowsOf {
  account: string
  stream: Stream
  where: RowSchema
  /** The batches that count as not done. */
  unstated: readonly string[]
}

async function checkTable(
  tx: Transaction,
  { findings, checked }: Comparing,
  of: RowsOf,
): Promise<void> {
  const { stream, where } = of
  const named = where === 'svc' ? 'the row' : 'the version of before'
  const gone = new Map<string, number>()
  for await (const { key, batch, rows } of unlike(tx, of)) {
    if (rows > 0) {
      gone.set(batch, (gone.get(batch) ?? 0) + rows)
      continue
    }
    const taken = `${-rows} of ${where}.${stream.name}, which batch ${batch} took`
    findings.add('row_changed', key ? `${named} ${stream.name}/${key.join('/')}` : taken, {
      expected: 'a row as the program wrote and stated it',
      found: 'another one, or one that was put in',
    })
  }
  checked.rows += await countRows(tx, of)
  // Of one that was changed too: that is another row, and what was stated is not there.
  for (const [batch, rows] of gone)
    findings.add('row_missing', `${rows} of ${where}.${stream.name}, of batch ${batch}`, {
      expected: 'the rows that it wrote and nothing took or changed by right',
      found: 'none that are like them',
    })
}

interface Unlike {
  /** Null where it is not there. */
  key: string[] | null
  /** The one that wrote it, else the one that took it. */
  batch: string
  /** How many are missing; below zero where so many are there, or were taken, that none wrote. */
  rows: number
}

/** By leaf each row that no statement is about, and each stated one that is not there. */
function unlike(
  tx: Transaction,
  { account, stream, where, unstated }: RowsOf,
): AsyncGenerator<Unlike> {
  const query = sql<Unlike>`
    with stated as (
      select batch, wrote, took from callsheet.written
      where account = ${account} and place = ${`${where}.${stream.name}`}
        and batch <> all(${[...unstated]}::text[])),
    leaves as (
      select l.leaf, 1 as rows, null::text[] as key, batch from stated, unnest(wrote) l(leaf)
      union all
      select l.leaf, -1, null, batch from stated, unnest(took) l(leaf)
      union all
      select leaf, -1, key, null from ${rowLeaves({ account, stream, where })} r)
    select max(key) as key, max(batch) as batch, sum(rows)::integer as rows
    from leaves group by leaf having sum(rows) <> 0 order by 1, 2`
  return cursorRows(tx, `rows of ${where} ${stream.name}`, query)
}

async function countRows(tx: Transaction, { account, stream, where }: RowsOf): Promise<number> {
  const { rows } = await tx
    .selectFrom(tableOf(where, stream).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('t.account', '=', account)
    .executeTakeFirstOrThrow()
  return rows
}
