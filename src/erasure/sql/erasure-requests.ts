import { createHmac, timingSafeEqual } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type Identity, identityOf, isIdentities } from '../../core/persons/identity.ts'
import { isSignedBy, type PublicKey, type SigningKey } from '../../evidence/log/signing-key.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { ago, now } from '../../warehouse/schema/expressions.ts'

/** A request to erase a person: its origin, its deadline and its state. */
export interface ErasureRequest {
  id: number
  /** `user:ID` or `email:ADDRESS`, until the request is done. */
  subject: string
  source: string
  /**
   * `kept`: everything is erased except data that a hold protects or that was left behind; the request is
   * tried again. `readmitted`: the person may be stored again, so the request is closed.
   */
  state: 'waiting' | 'under_way' | 'kept' | 'done' | 'readmitted'
  byName: boolean
  requestedAt: string
  dueAt: string
  endedAt: string | null
  /** The identities of the person that were found when the erasure began. */
  identities: readonly Identity[]
  erased: unknown
  kept: unknown
  leftBehind: unknown
  /** When the request was made, to the microsecond. */
  askedAt: string
  /** Proof that the person who made or continued the request had one of our keys. */
  proof: Buffer | null
}

/**
 * Returns requests, ordered by deadline. `open`: neither done nor readmitted. `ripe`: open, without kept
 * requests that were tried in the last day. `under_way`: interrupted, if no erasure is running. `all`: every
 * request ever made.
 */
export async function readRequests(
  db: Transaction,
  account: string,
  which: 'open' | 'ripe' | 'under_way' | 'all' = 'open',
): Promise<ErasureRequest[]> {
  const rows = await db
    .selectFrom('callsheet.erasure_requests')
    .select(COLUMNS)
    .select(ASKED_AT)
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
  return rows.map(requestOf)
}

function requestOf<T extends { identities: unknown }>(row: T): T & { identities: Identity[] } {
  return { ...row, identities: isIdentities(row.identities) ? row.identities : [] }
}

export interface NewRequest {
  subject: string
  askedBy: string
  byName: boolean
  /** The person's identities; by default those of a proven open request. */
  identities?: readonly Identity[]
}

/** Adds a request that is due now, or reuses an open request for this person, and signs it. */
export async function askFor(
  tx: Transaction,
  signer: Signer & { secrets: readonly string[] },
  { subject, askedBy, byName, identities }: NewRequest,
): Promise<ErasureRequest> {
  const { account, key, secrets } = signer
  const same = (await readRequests(tx, account)).filter((one) => one.subject === subject)
  const before = same.toSorted((a, b) => a.id - b.id)[0]
  const request = await enter(tx, { account, subject, askedBy, byName, before })
  // Ignores the identities of an unproven request, because anybody may have added them.
  const isKnown =
    before !== undefined && isProven({ evidence: key.publicKey, secrets }, account, before)
  const known = isKnown ? before.identities : []
  return await signRequest(tx, signer, { ...request, identities: identities ?? known })
}

async function enter(
  tx: Transaction,
  request: NewRequest & { account: string; before: ErasureRequest | undefined },
): Promise<ErasureRequest> {
  const { account, subject, askedBy, byName, before } = request
  if (before !== undefined) {
    const row = await tx
      .updateTable('callsheet.erasure_requests')
      .set({ by_name: sql<boolean>`by_name or ${byName}` })
      .where('account', '=', account)
      .where('id', '=', before.id)
      .returning(COLUMNS)
      .returning(ASKED_AT)
      .executeTakeFirstOrThrow()
    return requestOf(row)
  }
  const at = { asked_at: now, requested_at: now, due_at: now }
  const row = await tx
    .insertInto('callsheet.erasure_requests')
    .values({ account, subject, source: 'command', ...at, asked_by: askedBy, by_name: byName })
    .returning(COLUMNS)
    .returning(ASKED_AT)
    .executeTakeFirstOrThrow()
  return requestOf(row)
}

type Numbered = Pick<ErasureRequest, 'id'> & { account: string }

export async function beginRequest(tx: Transaction, { account, id }: Numbered): Promise<void> {
  await tx
    .updateTable('callsheet.erasure_requests')
    .set(({ fn }) => ({ state: 'under_way', started_at: fn.coalesce('started_at', now) }))
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
}

/** Records the outcome. Unless the request stays open, removes the texts that name the person. */
export async function finishRequest(
  tx: Transaction,
  { account, id }: Numbered,
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
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
}

/** The facts of an erasure request. Changing any of them without the key invalidates the proof. */
export interface RequestFacts {
  account: string
  subject: string
  source: string
  /** The time as the database prints it, to the microsecond. */
  askedAt: string
  byName: boolean
  identities: readonly { kind: string; text: string }[]
}

/** The keys that can prove a request: the evidence key, or a secret of notifications. */
export interface RequestKeys {
  evidence: PublicKey | undefined
  secrets: readonly string[]
}

function requestText(facts: RequestFacts): string {
  const { account, subject, source, askedAt, byName, identities } = facts
  const persons = identities.map(({ kind, text }) => [kind, text])
  return JSON.stringify(['callsheet request', account, subject, source, askedAt, byName, persons])
}

/** Returns the proof for a request from a notification; it needs no evidence key. */
export function proofBySecret(secret: string, facts: RequestFacts): Buffer {
  return createHmac('sha256', secret).update(requestText(facts)).digest()
}

/**
 * Whether the person who made or continued the request had a key from outside the database. The origin of any
 * other request is unknown, because everybody who may write the table can add a row.
 */
export function isProven(
  keys: RequestKeys,
  account: string,
  { proof, ...request }: Pick<ErasureRequest, Signed | 'proof'>,
): boolean {
  const facts = { ...request, account }
  if (proof?.length === 32)
    return keys.secrets.some((secret) => timingSafeEqual(proofBySecret(secret, facts), proof))
  if (proof?.length !== 64 || keys.evidence === undefined) return false
  return isSignedBy(keys.evidence, requestText(facts), proof)
}

/** The signer of an account's requests. */
export interface Signer {
  account: string
  key: SigningKey
}

/** Stores the request's identities, with the proof that a person with one of our keys supplied them. */
export async function signRequest(
  tx: Transaction,
  { account, key }: Signer,
  request: ErasureRequest,
): Promise<ErasureRequest> {
  const { id, identities } = request
  const proof = key.sign(requestText({ ...request, account }))
  await tx
    .updateTable('callsheet.erasure_requests')
    .set({ proof, identities: JSON.stringify(identities) })
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
  return { ...request, proof }
}

export function namesNobody(end: string) {
  return { subject: sql<string>`${`${end}:`} || id`, identities: null }
}

/** Returns the subject of a request by command. */
export function requestSubject({ kind, text }: Identity): string {
  return `${kind === 'address' ? 'email' : 'user'}:${text}`
}

/** Returns a request for a dry run, which stores no request. */
export function unstored(subject: string, byName: boolean): ErasureRequest {
  const never = { requestedAt: '', dueAt: '', askedAt: '', endedAt: null, proof: null }
  const none = { identities: [], erased: null, kept: null, leftBehind: null }
  return { id: 0, subject, source: 'command', state: 'waiting', byName, ...never, ...none }
}

/** Returns the person whom a subject names: a user or, in a request by command, also an address. */
export function personOf(subject: string): Identity {
  return identityOf(subject.slice(subject.indexOf(':') + 1))
}

/** Returns an instant as text with all its digits, because it is signed. */
export function microseconds(at: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

type Signed = 'subject' | 'source' | 'askedAt' | 'byName' | 'identities'

const isOpen = sql<boolean>`state not in ('done', 'readmitted')`
const ASKED_AT = microseconds(sql.ref('asked_at')).as('askedAt')
const COLUMNS = [
  ...(['id', 'subject', 'source', 'state', 'by_name as byName', 'identities'] as const),
  ...(['requested_at as requestedAt', 'due_at as dueAt', 'ended_at as endedAt'] as const),
  ...(['erased', 'kept', 'left_behind as leftBehind', 'proof'] as const),
] as const
