import { type RawBuilder, sql } from 'kysely'
import type { FileKind, FileSource } from '../../core/declare/file-source.ts'
import { cleanText } from '../../core/records/map-record.ts'
import { arrayText } from '../connection/array-text.ts'
import type { Transaction } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'
import { fileSubject } from './evidence-files.ts'
import { expiryOf, itemOf, parentOf, withheldBy, youngEnough } from './file-rows-sql.ts'

/**
 * Every file has one of these: `removed` is what was stored and a rule let go. `refused` was once what nobody
 * asked for again; no file becomes that any more.
 */
export type FileState = 'pending' | 'stored' | 'expired' | 'missing' | 'refused' | 'removed'

export interface FileScope {
  account: string
  kind: FileKind
  runId: number
}

/** What became of a file. One that is left pending says why. */
export interface FileOutcome {
  parent: string
  item: string
  state: Exclude<FileState, 'removed' | 'refused'>
  reason?: string | undefined
  stored?: { sha256: string; size: number }
  /** Something an auditor must be told; what the service never offered is none. */
  incident?: boolean
  /** The service itself said that it is not there: said again in another run, later, it is missing. */
  absent?: boolean
}

/**
 * Enters files that have no row yet as pending, at most so many; answers how many. `days`: only those up to
 * this age.
 */
export async function admitFiles(
  tx: Transaction,
  { source, account, runId }: { source: FileSource; account: string; runId: number },
  { days, most }: { days: number | undefined; most: number },
): Promise<number> {
  await joinWhole(tx)
  let admitted = 0
  for (const rows of source.rows) {
    const { numAffectedRows = 0n } = await sql`
      insert into callsheet.files (account, kind, parent, item, state, expires_at, state_at, run_id)
      select r.account, ${source.kind}, ${parentOf(rows)}, ${itemOf(rows)}, 'pending',
        ${expiryOf(source)}, callsheet.clock(), ${runId}
      from ${current(rows.stream)} r
        join ${current(source.parent)} p on p.account = r.account
          and ${sql.id('p', source.parent.key[0] as string)} = ${parentOf(rows)}
      where r.account = ${account} and r._deleted_at is null and ${youngEnough(rows, days)}
        and not ${withheldBy(source)}
        and not exists (select 1 from callsheet.files f where f.account = r.account
          and f.kind = ${source.kind} and f.parent = ${parentOf(rows)} and f.item = ${itemOf(rows)})
      limit ${most}
      on conflict do nothing`.execute(tx)
    admitted = Math.max(admitted, Number(numAffectedRows))
  }
  return admitted
}

/**
 * Tables that were filled just now look empty to the planner, which would go through the one for each row of
 * the other.
 */
export async function joinWhole(tx: Transaction): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(tx)
}

/**
 * Tells the planner how many there are, after many came at once: until it knows, it goes through all that is
 * pending for the files of each parent.
 */
export async function analyzeFiles(tx: Transaction): Promise<void> {
  await sql`analyze callsheet.files`.execute(tx)
}

/** A parent whose last day was moved moves that of its files, also of what was lost to the earlier one. */
export async function refreshExpiry(
  tx: Transaction,
  { source, account }: { source: FileSource; account: string },
): Promise<void> {
  if (source.expiresAt === undefined) return
  await joinWhole(tx)
  await sql`update callsheet.files f set expires_at = ${expiryOf(source)}
    from ${current(source.parent)} p
    where f.account = ${account} and f.kind = ${source.kind}
      and (f.state in ('pending', 'expired') or f.lost is not null)
      and p.account = f.account and ${sql.id('p', source.parent.key[0] as string)} = f.parent
      and f.expires_at is distinct from ${expiryOf(source)}`.execute(tx)
}

/**
 * What was lost to its day and has time again is fetched after all: the service has moved the day on, or a
 * clock ran ahead. The incident stays, as one of a refused file does that came in a second time. Answers how
 * many.
 */
export async function reviveFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update callsheet.files set state = 'pending', reason = null, state_at = callsheet.clock(),
      run_id = ${runId}
    where account = ${account} and kind = ${kind} and state = 'expired'
      and expires_at > callsheet.clock()`.execute(tx)
  return Number(numAffectedRows)
}

/** What is past its time and was not fetched is lost, and an incident each. Answers how many. */
export async function expireFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
): Promise<number> {
  const { rows } = await sql<{ lost: number }>`
    with lost as (
      update callsheet.files set state = 'expired', reason = ${EXPIRED}, state_at = callsheet.clock(),
        run_id = ${runId}
      where account = ${account} and kind = ${kind} and state = 'pending'
        and expires_at <= callsheet.clock()
      returning parent, item, expires_at, tries),
    told as (
      insert into callsheet.incidents (account, kind, subject, run_id, at, detail)
      select ${account}, 'expired_before_download', ${incidentSubject(kind)}, ${runId}, callsheet.clock(),
        format('expired at %s after %s tries', to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), tries)
      from lost on conflict do nothing)
    select count(*)::int as lost from lost`.execute(tx)
  return rows[0]?.lost ?? 0
}

/** What came of a group of outcomes. */
export interface Settled {
  stored: StoredNow[]
  /** Said to be absent for the second time: `missing`, with an incident. */
  writtenOff: Pick<FileOutcome, 'parent' | 'item'>[]
}

/** A file that came to be stored, as the manifest tells of it. */
export interface StoredNow {
  subject: string
  size: number
  content: Buffer
}

/**
 * Enters what became of files, each only if it was pending, with an incident where one is due. Answers those
 * that are stored from now on, and those that are written off. `entered`: the same transaction makes the
 * manifest's entries of the first.
 */
export async function settleFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
  { outcomes, entered }: { outcomes: readonly FileOutcome[]; entered: boolean },
): Promise<Settled> {
  const column = (
    take: (outcome: FileOutcome) => Parameters<typeof arrayText>[0][number],
  ): unknown => arrayText(outcomes.map(take))
  await lookUpEach(tx)
  const { rows } = await sql<StoredNow & { state: FileState; parent: string; item: string }>`
    with ended as (
      select * from unnest(${column(({ parent }) => parent)}::text[],
        ${column(({ item }) => item)}::text[], ${column(({ state }) => state)}::text[],
        ${column(({ reason }) => (reason === undefined ? null : cleanText(reason)))}::text[],
        ${column(({ stored }) => stored?.sha256 ?? null)}::text[],
        ${column(({ stored }) => stored?.size ?? null)}::bigint[],
        ${column(({ incident }) => incident === true)}::boolean[],
        ${column(({ absent }) => absent === true)}::boolean[])
        as e(parent, item, state, reason, sha256, size, incident, absent)),
    settled as (
      update callsheet.files f set
        state = case when ${saidAgain(runId)} then 'missing' else e.state end, reason = e.reason,
        sha256 = decode(e.sha256, 'hex'), size = e.size, tries = f.tries + 1,
        absent_since = case when e.absent then coalesce(f.absent_since, callsheet.clock())
          when e.state = 'pending' then f.absent_since end,
        absent_run_id = case when e.absent then coalesce(f.absent_run_id, ${runId}::bigint)
          when e.state = 'pending' then f.absent_run_id end,
        state_at = callsheet.clock(), run_id = ${runId}, entered = e.state = 'stored' and ${entered}
      from ended e
      where f.account = ${account} and f.kind = ${kind} and f.parent = e.parent and f.item = e.item
        and f.state = 'pending'
      returning f.kind, f.parent, f.item, f.sha256, f.size, f.state, f.reason,
        e.incident or f.state <> e.state as incident),
    told as (
      insert into callsheet.incidents (account, kind, subject, run_id, at, detail)
      select ${account}, case state when 'expired' then 'expired_before_download' else state end,
        ${incidentSubject(kind)}, ${runId}, callsheet.clock(), coalesce(reason, '')
      from settled where incident on conflict do nothing)
    select ${fileSubject} as subject, f.size, f.sha256 as content, f.state, f.parent, f.item
    from settled f where f.state = 'stored' or (f.state = 'missing' and f.incident)`.execute(tx)
  return {
    stored: rows.filter(({ state }) => state === 'stored'),
    writtenOff: rows.filter(({ state }) => state === 'missing'),
  }
}

/** One word may be a proxy's, or an outage's: the second comes from another run, an hour later or more. */
export function saidAgain(runId: number): RawBuilder<unknown> {
  return sql`e.absent and f.absent_run_id <> ${runId}
    and f.absent_since <= callsheet.clock() - interval '1 hour'`
}

/** A group is small beside all that is pending, which a join as a whole would go through each time. */
async function lookUpEach(tx: Transaction): Promise<void> {
  await sql`set local enable_hashjoin = off`.execute(tx)
  await sql`set local enable_mergejoin = off`.execute(tx)
}

/**
 * Lets what was written off be tried once more, unless it is past its time, and what the store has lost as
 * well. Answers how many of the first.
 */
export async function retryFiles(
  tx: Transaction,
  { account, kind }: Omit<FileScope, 'runId'>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update callsheet.files set state = 'pending', reason = null, state_at = callsheet.clock(),
      absent_since = null, absent_run_id = null
    where account = ${account} and kind = ${kind} and state in ('refused', 'missing')
      and coalesce(expires_at > callsheet.clock(), true)`.execute(tx)
  await sql`
    update callsheet.files set lost = 'wanted', absent_since = null, absent_run_id = null
    where account = ${account} and kind = ${kind} and lost = 'gone'`.execute(tx)
  return Number(numAffectedRows)
}

/** What an incident is about, e.g. `activity:SESSION:ACTIVITY`; the reports look for the same. */
export function incidentSubject(kind: FileKind): RawBuilder<unknown> {
  return sql`${kind}::text || ':' || parent || ':' || item`
}

const EXPIRED = 'its time was over before it was fetched'
