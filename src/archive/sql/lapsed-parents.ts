import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { current } from '../../warehouse/schema/table-sql.ts'
import { joinWhole } from './file-rows-sql.ts'
import { insertIncidents } from './incidents.ts'

/** A fan-out stream whose parents expire, with the names that the statements need. */
export interface Lapsing {
  account: string
  stream: string
  /** The part of a slice's name before the parent's ID. */
  prefix: string
  parent: { stream: Stream; id: string; expiresAt: string }
}

/** Returns undefined for a stream that is no fan-out, or whose parents never expire. */
export function lapsingOf(account: string, { name, sync }: Stream): Lapsing | undefined {
  if (sync.kind !== 'fan-out' || sync.parent.deletions.by !== 'detail') return undefined
  const { deletions, key } = sync.parent
  if (deletions.expiresAt === undefined) return undefined
  const [id = ''] = key
  const prefix = sync.request(['']).slice
  return {
    account,
    stream: name,
    prefix,
    parent: { stream: sync.parent, id, expiresAt: deletions.expiresAt },
  }
}

/**
 * The parents that expired before their list was ever read completely, and that have no incident yet. A slice
 * that was answered with "there is no such list" does not count as read.
 */
function lapsedParents(tx: Transaction, { account, stream, prefix, parent }: Lapsing) {
  const id = sql.id<string>('p', parent.id)
  const expiresAt = sql.id<string>('p', parent.expiresAt)
  return tx
    .selectFrom(current(parent.stream).as('p'))
    .select([id.as('id'), expiresAt.as('expired_at')])
    .where('p.account', '=', account)
    .where('p._deleted_at', 'is', null)
    .where(expiresAt, '<=', now)
    .where(({ exists, not, selectFrom }) => {
      const read = selectFrom('callsheet.slice_states as c')
        .whereRef('c.account', '=', 'p.account')
        .where('c.stream', '=', stream)
        .where('c.listed_at', 'is not', null)
        .where('c.slice', '=', sql<string>`${prefix} || ${id}`)
      return not(exists(read))
    })
    .where(({ exists, not, selectFrom }) => {
      const told = selectFrom('callsheet.incidents as i')
        .whereRef('i.account', '=', 'p.account')
        .where('i.kind', '=', 'expired_before_download')
        .where('i.subject', '=', sql<string>`${SUBJECT} || ${id}`)
      return not(exists(told))
    })
}

export async function countLapsed(tx: Transaction, lapsing: Lapsing): Promise<number> {
  await joinWhole(tx)
  const { lapsed } = await tx
    .selectFrom(lapsedParents(tx, lapsing).as('l'))
    .select(({ fn }) => fn.countAll<number>().as('lapsed'))
    .executeTakeFirstOrThrow()
  return lapsed
}

/** Adds an incident for each lapsed parent. Returns this run's number of them, from all attempts. */
export async function recordLapsed(
  tx: Transaction,
  lapsing: Lapsing,
  runId: number,
): Promise<number> {
  const { account } = lapsing
  await joinWhole(tx)
  const lapsed = tx.selectFrom(lapsedParents(tx, lapsing).as('l')).select([
    sql.val<'expired_before_download'>('expired_before_download').as('kind'),
    sql<string>`${SUBJECT} || l.id`.as('subject'),
    sql<string>`format('expired at %s before its list was read',
        to_char(l.expired_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`.as('detail'),
  ])
  await insertIncidents(tx, { account, runId }, lapsed.as('i')).execute()
  const { told } = await tx
    .selectFrom('callsheet.incidents')
    .select(({ fn }) => fn.countAll<number>().as('told'))
    .where('account', '=', account)
    .where('run_id', '=', runId)
    .where('kind', '=', 'expired_before_download')
    .where(({ fn, val }) => fn<boolean>('starts_with', ['subject', val(SUBJECT)]))
    .executeTakeFirstOrThrow()
  return told
}

/** Precedes the ID in the incident's subject. The reports search for this form. */
const SUBJECT = 'session:'
