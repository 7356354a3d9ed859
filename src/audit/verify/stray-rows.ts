import { type AliasableExpression, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { subjectOf } from '../../evidence/sql/audited-records.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import {
  current,
  firstKey,
  history,
  presentRows,
  sameKey,
} from '../../warehouse/schema/table-sql.ts'
import type { StreamRow } from '../../warehouse/schema/types.ts'

/** A record in a place where the manifest cannot be compared with it, or where no report shows it. */
export interface StrayRecord {
  subject: string
  /** False without bytes to compare with an entry. The service never sends such a record. */
  proven: boolean
  found: string
}

interface OfStream {
  account: string
  stream: Stream
}

/** The stray records of an audited stream by subject, the worst finding for each. */
export function strayRecords(
  tx: Transaction,
  { account, stream }: OfStream,
): AsyncGenerator<StrayRecord> {
  const from = (rows: AliasableExpression<StreamRow>, proven: boolean, found: string) =>
    tx
      .selectFrom(rows.as('t'))
      .select([
        subjectOf(stream, 't').as('subject'),
        sql<boolean>`${proven}::boolean`.as('proven'),
        sql<string>`${found}::text`.as('found'),
      ])
      .where('t.account', '=', account)
  const [own, before] = [current(stream), history(stream)]
  const marked = from(own, true, MARKED).where('t._deleted_at', 'is not', null)
  const lost = marked.where(({ exists, not, selectFrom }) => {
    const version = selectFrom(before.as('h'))
      .select('h.account')
      .whereRef('h.account', '=', 't.account')
      .where(sameKey(stream, 'h', 't'))
      .where('h._end', '=', 'deleted')
      .whereRef('h._bytes', 'is not distinct from', 't._bytes')
    return not(exists(version))
  })
  const alone = from(before, true, BEFORE).where(({ exists, not, selectFrom }) => {
    const present = selectFrom(own.as('s'))
      .select('s.account')
      .whereRef('s.account', '=', 't.account')
      .where(sameKey(stream, 's', 't'))
    return not(exists(present))
  })
  const query = from(own, false, 'a row without them')
    .where('t._bytes', 'is', null)
    .unionAll(from(before, false, 'a version without them').where('t._bytes', 'is', null))
    .unionAll(stream.deletions.by === 'never' ? marked : lost)
    .unionAll(alone)
  const strays = tx
    .selectFrom(query.as('found'))
    .distinctOn('subject')
    .select(['subject', 'proven', 'found'])
    .orderBy('subject')
    .orderBy('proven')
    .orderBy('found')
  return cursorRows(tx, `strays of ${stream.name}`, strays)
}

/** The subjects of missing parent records that still have rows cut from them. */
export async function orphanedParts(
  tx: Transaction,
  { account, stream, parent }: OfStream & { parent: Stream },
): Promise<string[]> {
  const named = tx
    .selectFrom(presentRows({ account, stream }).as('c'))
    .select(firstKey(stream, 'c').as(parent.key[0] as string))
    .where(({ exists, not, selectFrom }) => {
      const whole = selectFrom(current(parent).as('p'))
        .select('p.account')
        .whereRef('p.account', '=', 'c.account')
        .where(firstKey(parent, 'p'), '=', firstKey(stream, 'c'))
      return not(exists(whole))
    })
  const rows = await tx
    .selectFrom(named.as('k'))
    .select(subjectOf(parent, 'k').as('subject'))
    .distinct()
    .orderBy('subject')
    .execute()
  return rows.map(({ subject }) => subject)
}

/** How many records are marked as deleted at the service. */
export async function countDeleted(
  tx: Transaction,
  { account, stream }: OfStream,
): Promise<number> {
  const { deleted } = await tx
    .selectFrom(current(stream).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('deleted'))
    .where('t.account', '=', account)
    .where('t._deleted_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return deleted
}

const MARKED = 'it is marked as deleted, though the service was never seen to take it'
const BEFORE = 'it lies among earlier versions alone'
