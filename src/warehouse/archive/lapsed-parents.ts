import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Transaction } from '../connection/connect.ts'
import { joinWhole } from './files.ts'

/** A fan-out stream whose parents expire, as the statements name it. */
export interface Lapsing {
  account: string
  stream: string
  /** What the ledger of slices puts before the parent's ID. */
  prefix: string
  parent: { name: string; id: string; expiresAt: string }
}

/** Undefined for a stream that reads no parents, or parents that never expire. */
export function lapsingOf(account: string, { name, sync }: Stream): Lapsing | undefined {
  if (sync.kind !== 'fan-out' || sync.parent.deletions.by !== 'detail') return undefined
  const { deletions, key, name: parent } = sync.parent
  if (deletions.expiresAt === undefined) return undefined
  const [id = ''] = key
  const prefix = sync.request(['']).slice
  return {
    account,
    stream: name,
    prefix,
    parent: { name: parent, id, expiresAt: deletions.expiresAt },
  }
}

/**
 * The parents that expired before their list was ever read to its end, and of which nobody was told: `id` and
 * `expired_at`, as a relation for `from`. An answer that there is no such list reads nothing.
 */
function lapsedParents({ account, stream, prefix, parent }: Lapsing): RawBuilder<unknown> {
  const [id, expiresAt] = [sql.id('p', parent.id), sql.id('p', parent.expiresAt)]
  return sql`(
    select ${id} as id, ${expiresAt} as expired_at from ${sql.id('svc', parent.name)} p
    where p.account = ${account} and p._deleted_at is null and ${expiresAt} <= callsheet.clock()
      and not exists (select from callsheet.slices c where c.account = p.account
        and c.stream = ${stream} and c.state = 'complete'
        and not callsheet.no_list(c.state, c.error) and c.slice = ${prefix} || ${id})
      and not exists (select from callsheet.incidents i where i.account = p.account
        and i.kind = 'expired_before_download' and i.subject = ${SUBJECT} || ${id}))`
}

export async function countLapsed(tx: Transaction, lapsing: Lapsing): Promise<number> {
  await joinWhole(tx)
  const { rows } = await sql<{ lapsed: number }>`
    select count(*)::int as lapsed from ${lapsedParents(lapsing)} l`.execute(tx)
  return rows[0]?.lapsed ?? 0
}

/** Makes an incident of each. Answers how many this run made, an earlier try of the same included. */
export async function recordLapsed(
  tx: Transaction,
  lapsing: Lapsing,
  runId: number,
): Promise<number> {
  const { account } = lapsing
  await joinWhole(tx)
  await sql`
    insert into callsheet.incidents (account, kind, subject, run_id, at, detail)
    select ${account}, 'expired_before_download', ${SUBJECT} || l.id, ${runId}, callsheet.clock(),
      format('expired at %s before its list was read',
        to_char(l.expired_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    from ${lapsedParents(lapsing)} l on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ told: number }>`
    select count(*)::int as told from callsheet.incidents
    where account = ${account} and run_id = ${runId} and kind = 'expired_before_download'
      and starts_with(subject, ${SUBJECT})`.execute(tx)
  return rows[0]?.told ?? 0
}

/** Before the ID in what the incident is about; the reports look for the same. */
const SUBJECT = 'session:'
