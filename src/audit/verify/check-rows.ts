import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { BASELINE } from '../../core/records/statement.ts'
import { counted } from '../../core/values/quantities.ts'
import type { RowSchema } from '../../evidence/sql/audited-records.ts'
import { rowLeaves } from '../../evidence/sql/row-leaf.ts'
import { statementAbout } from '../../evidence/sql/statements.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { tableOf } from '../../warehouse/schema/table-sql.ts'
import { checkStated, type Unstated } from './check-ledgers.ts'
import type { Comparing } from './verifying.ts'

/**
 * Compares each current and previous row of the streams, in all columns, with the rows that transactions
 * wrote and removed according to their statements. Treats changes without a valid statement as not made, and
 * reports the batches that were never stated.
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
  /** Batches whose changes are ignored. */
  unstated: Unstated
}

async function checkTable(
  tx: Transaction,
  { findings, checked }: Comparing,
  of: RowsOf,
): Promise<void> {
  const { stream, where } = of
  for (const { batch, wrote, took } of await writtenBy(tx, of))
    findings.add('stated_nowhere', `changes to ${where}.${stream.name} by batch ${batch}`, {
      expected:
        'an entry that states them; to confirm the changes, run callsheet audit unexplained --only rows',
      found: `${wrote} rows written and ${took} removed without an entry`,
    })
  const named = where === 'svc' ? 'the row' : 'the previous version'
  const others = new Map<string, number>()
  const gone: Unlike[] = []
  for await (const one of unlike(tx, of)) {
    const { key, batch, by, rows } = one
    if (rows > 0) {
      gone.push(one)
      continue
    }
    if (by !== null) others.set(by, (others.get(by) ?? 0) - rows)
    const taken = `${counted(-rows, 'row')} of ${where}.${stream.name} that batch ${batch} removed`
    findings.add('row_changed', key ? `${named} ${stream.name}/${key.join('/')}` : taken, {
      expected: 'a row that Callsheet wrote and logged',
      found: 'a changed or inserted row',
    })
  }
  checked.rows += await countRows(tx, of)
  for (const [batch, rows] of missing(gone, others))
    findings.add(
      'row_missing',
      `${counted(rows, 'row')} of ${where}.${stream.name} that batch ${batch} wrote`,
      {
        expected: 'these rows: no log entry allows removing or changing them',
        found: 'the rows were removed or changed',
      },
    )
}

/**
 * The number of missing rows, by the batch that wrote them. Excludes the rows of an unstated transaction that
 * wrote as many rows as it removed: it changed those rows, which are reported already.
 */
function missing(
  gone: readonly Unlike[],
  others: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const sum = (key: (one: Unlike) => string, of = gone): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const one of of) counts.set(key(one), (counts.get(key(one)) ?? 0) + one.rows)
    return counts
  }
  const taken = sum(({ by }) => by ?? '')
  return sum(
    ({ batch }) => batch ?? '',
    gone.filter(({ by }) => by === null || taken.get(by) !== others.get(by)),
  )
}

interface Unlike {
  /** Null if the row is missing. */
  key: string[] | null
  /** The batch that wrote the row, or else the one that removed it. */
  batch: string | null
  /** The unstated batch that wrote or removed the row. */
  by: string | null
  /** The number of missing rows; negative if more exist or were removed than were written. */
  rows: number
}

/** The differences between the table and the stated changes, by leaf. */
function unlike(tx: Transaction, of: RowsOf): AsyncGenerator<Unlike> {
  const { stream, where, unstated } = of
  const query = sql<Unlike>`
    with noted as (
      select batch, wrote, took,
        batch = any(${[...unstated.nowhere, ...unstated.otherwise]}::text[]) as undone
      from callsheet.written where account = ${of.account} and place = ${placeOf(of)}),
    leaves as (
      select l.leaf, 1 as rows, null::text[] as key, batch, null::text as by
      from noted, unnest(wrote) l(leaf) where not undone
      union all
      select l.leaf, -1, null, batch, null from noted, unnest(took) l(leaf) where not undone
      union all
      select l.leaf, 0, null, null, batch from noted, unnest(wrote || took) l(leaf) where undone
      union all
      select leaf, -1, key, null, null from ${rowLeaves(of)} r)
    select max(key) as key, max(batch) as batch, max(by) as by, sum(rows)::integer as rows
    from leaves group by leaf having sum(rows) <> 0 order by 1, 2`
  return cursorRows(tx, `rows of ${where} ${stream.name}`, query)
}

const placeOf = ({ stream, where }: Pick<RowsOf, 'stream' | 'where'>): string =>
  `${where}.${stream.name}`

/** The numbers of rows of a table that each batch without a statement wrote and removed. */
async function writtenBy(
  tx: Transaction,
  { unstated, ...of }: RowsOf,
): Promise<{ batch: string; wrote: number; took: number }[]> {
  if (unstated.nowhere.length === 0) return []
  const { rows } = await sql<{ batch: string; wrote: number; took: number }>`
    select batch, sum(cardinality(wrote))::integer as wrote, sum(cardinality(took))::integer as took
    from callsheet.written where account = ${of.account} and place = ${placeOf(of)}
      and batch = any(${unstated.nowhere}::text[])
    group by batch order by min(id)`.execute(tx)
  return rows
}

async function countRows(tx: Transaction, { account, stream, where }: RowsOf): Promise<number> {
  const { rows } = await tx
    .selectFrom(tableOf(where, stream).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('t.account', '=', account)
    .executeTakeFirstOrThrow()
  return rows
}
