import { type RawBuilder, sql } from 'kysely'
import { type Identity, identityOf, isIdentities } from '../../core/persons/identity.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { ago, now } from '../../warehouse/schema/expressions.ts'

/** A request to erase a person: its origin, its deadline and its state. */
export interface ErasureRequest {
  id: number
  /** `user:ID` or `email:ADDRESS` until it is done. */
  subject: string
  source: string
  /**
   * `kept`: all is erased except what a hold keeps or was left behind; it is tried again. `readmitted`: the
   * person may be stored again, so the request is closed.
   */
  state: 'waiting' | 'under_way' | 'kept' | 'done' | 'readmitted'
  byName: boolean
  requestedAt: string
  dueAt: string
  endedAt: string | null
  /** The identities of the person that were found when it began. */
  identities: readonly Identity[]
  erased: unknown
  kept: unknown
  leftBehind: unknown
  /** When it was made, to the microsecond. */
  askedAt: string
  /** Proof that whoever made or continued it had one of our keys. */
  proof: Buffer | null
}

/**
 * Requests ordered by their deadline. `open`: not done. `ripe`: open and due for an attempt, since a kept one
 * is tried once a day. `under_way`: interrupted, if no erasure is running. `all`: every request ever made.
 */
export async function readRequests(
  db: Transaction,
  account: string,
  which: 'open' | 'ripe' | 'under_way' | 'all' = 'open',
): Promise<ErasureRequest[]> {
  const rows = await db
    .selectFrom('callsheet.erasure_requests')
    .select(['id', 'subject', 'source', 'state', 'by_name as byName'])
    .select(['requested_at as requestedAt', 'due_at as dueAt', 'ended_at as endedAt'])
    .select(['identities', 'erased', 'kept', 'left_behind as leftBehind'])
    .select([microseconds(sql.ref('asked_at')).as('askedAt'), 'proof'])
    .where('account', '=', account)
    .$if(which !== 'all', (requests) => requests.where(isOpen))
    .$if(which === 'under_way', (requests) => requests.where('state', '=', 'under_way'))
    .$if(which === 'ripe', (requests) =>
      requests.where(({ eb, or }) =>
        or([eb('state', '<>', 'kept'), eb('ended_at', '<', ago('1 day'))]),
      ),
    )
    .orderBy('due_at')
    .orderBy('id')
    .execute()
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

/** Adds a request that is due now, or takes an open one of the same person. Returns its ID. */
export async function addRequest(
  tx: Transaction,
  { account, subject, askedBy, byName }: NewRequest,
): Promise<number> {
  const waiting = await tx
    .updateTable('callsheet.erasure_requests')
    .set({ by_name: sql<boolean>`by_name or ${byName}` })
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('callsheet.erasure_requests')
        .select(({ fn }) => fn.min('id').as('first'))
        .where('account', '=', account)
        .where('subject', '=', subject)
        .where(isOpen),
    )
    .returning('id')
    .executeTakeFirst()
  if (waiting !== undefined) return waiting.id
  const at = { asked_at: now, requested_at: now, due_at: now }
  const asked = await tx
    .insertInto('callsheet.erasure_requests')
    .values({ account, subject, source: 'command', ...at, asked_by: askedBy, by_name: byName })
    .returning('id')
    .executeTakeFirstOrThrow()
  return asked.id
}

export async function beginRequest(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable('callsheet.erasure_requests')
    .set(({ fn }) => ({ state: 'under_way', started_at: fn.coalesce('started_at', now) }))
    .where('id', '=', id)
    .execute()
}

/** Stores the identities of the person, with the proof that somebody with one of our keys supplied them. */
export async function setIdentities(
  tx: Transaction,
  id: number,
  { identities, proof }: { identities: readonly Identity[]; proof: Buffer },
): Promise<void> {
  await tx
    .updateTable('callsheet.erasure_requests')
    .set({ proof, identities: JSON.stringify(identities) })
    .where('id', '=', id)
    .execute()
}

/** An instant as text with all its digits, because it is signed. */
export function microseconds(at: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** Records the outcome. Removes the person's name, unless some of their data is still kept. */
export async function finishRequest(
  tx: Transaction,
  id: number,
  outcome: { erased: object; kept: object; leftBehind: object; open: boolean },
): Promise<void> {
  const { erased, kept, leftBehind, open } = outcome
  await tx
    .updateTable('callsheet.erasure_requests')
    .set({
      ...(open ? { state: 'kept' } : { ...namesNobody('erased'), state: 'done' }),
      ended_at: now,
      erased: JSON.stringify(erased),
      kept: JSON.stringify(kept),
      left_behind: JSON.stringify(leftBehind),
    })
    .where('id', '=', id)
    .execute()
}

/** The open requests for one of these persons, by the request's subject or by its identities. */
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

/** Closes requests as readmitted and removes their names. */
export async function closeRequests(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('callsheet.erasure_requests')
    .set({ ...namesNobody('readmitted'), state: 'readmitted', ended_at: now })
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
}

function namesNobody(end: string) {
  return { subject: sql<string>`${`${end}:`} || id`, identities: null }
}

/** The subject of a request by command. */
export function requestSubject({ kind, text }: Identity): string {
  return `${kind === 'address' ? 'email' : 'user'}:${text}`
}

/** The person whom a subject names: a user, or in a request by command a user or an address. */
export function personOf(subject: string): Identity {
  return identityOf(subject.slice(subject.indexOf(':') + 1))
}

/**
 * Adds a closed request that names nobody, for an erasure that was done before a backup was restored: the
 * suppression list refers to it. Returns its ID, or that of the existing one.
 */
export async function addRestoredRequest(
  tx: Transaction,
  account: string,
  { name, askedAt, byName }: { name: string; askedAt: string; byName: boolean },
): Promise<number> {
  const at = { asked_at: askedAt, requested_at: askedAt, due_at: askedAt }
  const subject = `restored:${name}`
  await tx
    .insertInto('callsheet.erasure_requests')
    .values({ account, subject, source: RESTORED, ...at, by_name: byName, state: 'done' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await tx
    .updateTable('callsheet.erasure_requests')
    .set(({ fn }) => ({ ended_at: fn.coalesce('ended_at', now) }))
    .where('account', '=', account)
    .where('subject', '=', subject)
    .where('source', '=', RESTORED)
    .where('asked_at', '=', sql<string>`${askedAt}::timestamptz`)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const RESTORED = 'restored'
const isOpen = sql<boolean>`state not in ('done', 'readmitted')`
