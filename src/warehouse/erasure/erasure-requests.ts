import { type RawBuilder, sql } from 'kysely'
import { type Identity, identityOf, isIdentities } from '../../core/erasure/identity.ts'
import type { Transaction } from '../connection/connect.ts'

/** That a person is to be erased: who asked for it, until when, and how far it is. */
export interface ErasureRequest {
  id: number
  /** `user:ID` or `email:ADDRESS` while it is not done. */
  subject: string
  source: string
  /**
   * `kept`: all is gone but what a hold keeps or was left behind; it is tried again. `readmitted`: somebody
   * wants the person kept again, so it goes no further.
   */
  state: 'waiting' | 'under_way' | 'kept' | 'done' | 'readmitted'
  byName: boolean
  requestedAt: string
  dueAt: string
  endedAt: string | null
  /** What was found out of the person when it began. */
  identities: readonly Identity[]
  erased: unknown
  kept: unknown
  leftBehind: unknown
  /** When it was asked for, to the microsecond. */
  askedAt: string
  /** What shows that who made it, or went on with it, had a key of ours. */
  proof: Buffer | null
}

/**
 * Requests by when they are due: those that are not done, of these those that are `ripe` (what is kept
 * is tried once a day), or all there ever were.
 */
export async function readRequests(
  db: Transaction,
  account: string,
  which: 'open' | 'ripe' | 'all' = 'open',
): Promise<ErasureRequest[]> {
  const kinds = {
    all: sql`true`,
    open: isOpen,
    ripe: sql`${isOpen}
      and (state <> 'kept' or ended_at < callsheet.clock() - interval '1 day')`,
  }
  const { rows } = await sql<ErasureRequest>`
    select id, subject, source, state, by_name as "byName", requested_at as "requestedAt",
      due_at as "dueAt", ended_at as "endedAt", identities, erased, kept, left_behind as "leftBehind",
      ${microseconds(sql`asked_at`)} as "askedAt", proof
    from callsheet.erasure_requests
    where account = ${account} and ${kinds[which]}
    order by due_at, id`.execute(db)
  return rows.map((row) => ({
    ...row,
    identities: isIdentities(row.identities) ? row.identities : [],
  }))
}

export interface NewRequest {
  account: string
  subject: string
  askedBy: string
  byName: boolean
}

/** Asks for an erasure now; one of the same person that waits already is taken instead. */
export async function addRequest(
  tx: Transaction,
  { account, subject, askedBy, byName }: NewRequest,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with waiting as (
      update callsheet.erasure_requests set by_name = by_name or ${byName}
      where id = (select min(id) from callsheet.erasure_requests
        where account = ${account} and subject = ${subject} and ${isOpen})
      returning id),
    asked as (
      insert into callsheet.erasure_requests
        (account, subject, source, asked_at, requested_at, due_at, asked_by, by_name)
      select ${account}, ${subject}, 'command', callsheet.clock(), callsheet.clock(), callsheet.clock(),
        ${askedBy}, ${byName}
      where not exists (select 1 from waiting) returning id)
    select id from waiting union all select id from asked`.execute(tx)
  return rows[0]?.id ?? 0
}

export async function beginRequest(tx: Transaction, id: number): Promise<void> {
  await sql`
    update callsheet.erasure_requests set state = 'under_way',
      started_at = coalesce(started_at, callsheet.clock())
    where id = ${id}`.execute(tx)
}

/** Says who is meant from here on, with what shows that somebody with a key says so. */
export async function setIdentities(
  tx: Transaction,
  id: number,
  { identities, proof }: { identities: readonly Identity[]; proof: Buffer },
): Promise<void> {
  await sql`
    update callsheet.erasure_requests set proof = ${proof},
      identities = ${JSON.stringify(identities)}::jsonb
    where id = ${id}`.execute(tx)
}

/** An instant as text that says it whole, as what is signed must. */
export function microseconds(at: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** What was done, without a word of whom it was done to, unless a part of them is there anyway. */
export async function finishRequest(
  tx: Transaction,
  id: number,
  outcome: { erased: object; kept: object; leftBehind: object; open: boolean },
): Promise<void> {
  const { open } = outcome
  await sql`
    update callsheet.erasure_requests set state = ${open ? 'kept' : 'done'},
      subject = case when ${open} then subject else 'erased:' || id end,
      identities = case when ${open} then identities end, ended_at = callsheet.clock(),
      erased = ${JSON.stringify(outcome.erased)}::jsonb,
      kept = ${JSON.stringify(outcome.kept)}::jsonb,
      left_behind = ${JSON.stringify(outcome.leftBehind)}::jsonb
    where id = ${id}`.execute(tx)
}

/** Of these persons, by whom a request asks for or what was found out of them. */
export async function openRequestsOf(
  tx: Transaction,
  account: string,
  persons: readonly Identity[],
): Promise<number[]> {
  const isOne = (one: Identity): boolean =>
    persons.some(({ kind, text }) => kind === one.kind && text === one.text)
  const requests = await readRequests(tx, account)
  return requests
    .filter(({ subject, identities }) => [personOf(subject), ...identities].some(isOne))
    .map(({ id }) => id)
}

/** They are not gone on with; nobody is named in them any more. */
export async function closeRequests(tx: Transaction, ids: readonly number[]): Promise<void> {
  await sql`
    update callsheet.erasure_requests set state = 'readmitted', subject = 'readmitted:' || id,
      identities = null, ended_at = callsheet.clock()
    where id = any(${[...ids]}::bigint[])`.execute(tx)
}

/** A removal names the user, a command a user or an address. */
export function personOf(subject: string): Identity {
  return identityOf(subject.slice(subject.indexOf(':') + 1))
}

const isOpen = sql`state not in ('done', 'readmitted')`
