import { type RawBuilder, sql } from 'kysely'
import { type Suppression, suppressionOf } from '../../core/erasure/suppression.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import { holdSuppressions } from '../erasure/erasure-locks.ts'
import { microseconds } from '../erasure/erasure-requests.ts'
import { readSuppressions } from '../erasure/suppressions.ts'

/** A notification as it is kept. */
export interface NewNotification {
  account: string
  event: string
  eventTs: string | null
  /** ISO text. */
  eventAt: string | null
  hash: Buffer
  state: string
  subjects: readonly string[]
  findings: readonly string[]
  /** JSON text, or null where the database does not take it as such. */
  payload: string | null
  body: Buffer
  says?: { thing: string; key: readonly string[]; state: string; rank: number } | undefined
  removal?: { subject: string; at: string | null } | undefined
  /** What shows on the request for an erasure that whoever was told of it made it. */
  prove(request: { subject: string; source: string; askedAt: string }): Buffer
  /** From now until what was removed must be erased. */
  erasureHours: number
}

/**
 * Keeps a notification and what it says, in one transaction; answers whether it was new. The same content is
 * kept once; without a time of its own, once within the hours in which a sender tries again.
 */
export async function storeNotification(
  warehouse: Warehouse,
  { account, hash }: Pick<NewNotification, 'account' | 'hash'>,
  /** What of it may be kept, by the list of who was erased. */
  kept: (suppression: Suppression) => NewNotification,
): Promise<boolean> {
  const keep = async (tx: Transaction): Promise<boolean> => {
    const content = `${account} ${hash.toString('hex')}`
    // Two of one content may arrive at once.
    await sql`select pg_advisory_xact_lock(hashtextextended(${content}, ${CONTENT_LOCK}))`.execute(
      tx,
    )
    await holdSuppressions(tx, account)
    const notification = kept(suppressionOf(await readSuppressions(tx, account)))
    const id = await insert(tx, notification)
    if (id === undefined) return false
    if (notification.says !== undefined) await tellState(tx, { ...notification, id })
    if (notification.removal !== undefined) await demandErasure(tx, { ...notification, id })
    return true
  }
  return await warehouse.transaction(keep, { patienceMs: PATIENCE_MS })
}

type Inserted = NewNotification & { id: number }

async function insert(tx: Transaction, given: NewNotification): Promise<number | undefined> {
  const { account, event, eventTs, eventAt, hash, state, payload, body } = given
  const { rows } = await sql<{ id: number }>`
    insert into callsheet.notifications (account, event, event_ts, event_at, received_at, hash, state,
      subjects, findings, payload, body)
    select ${account}, ${event}, ${eventTs}, ${eventAt}::timestamptz, callsheet.clock(), ${hash}::bytea,
      ${state}, ${[...given.subjects]}::text[], ${[...given.findings]}::text[], ${payload}::jsonb,
      ${body}::bytea
    where not exists (
      select 1 from callsheet.notifications n
      where n.account = ${account} and n.hash = ${hash}::bytea and ${seenBefore(eventAt)})
    returning id`.execute(tx)
  return rows[0]?.id
}

/** Without a time, equal content may be another event: the last try comes 115 minutes after the first. */
function seenBefore(eventAt: string | null): RawBuilder<unknown> {
  return eventAt === null
    ? sql`n.event_at is null and n.received_at > callsheet.clock() - interval '3 hours'`
    : sql`n.event_at is not null`
}

/** A word without a time of its own counts from when it came. */
export async function tellState(
  tx: Transaction,
  {
    account,
    says,
    eventAt,
    hash,
    id,
  }: Pick<Inserted, 'account' | 'says' | 'eventAt' | 'hash' | 'id'>,
): Promise<void> {
  if (says === undefined) return
  const { thing, key, state, rank } = says
  await sql`
    insert into callsheet.event_states as s (account, thing, key, state, at, rank, hash, notification_id)
    values (${account}, ${thing}, ${[...key]}::text[], ${state},
      coalesce(${eventAt}::timestamptz, callsheet.clock()), ${rank}, ${hash}::bytea, ${id})
    on conflict (account, thing, key) do update set state = excluded.state, at = excluded.at,
      rank = excluded.rank, hash = excluded.hash, notification_id = excluded.notification_id
    where (s.at, s.rank, s.hash) < (excluded.at, excluded.rank, excluded.hash)`.execute(tx)
}

async function demandErasure(tx: Transaction, given: Inserted): Promise<void> {
  const { account, removal, eventAt, erasureHours, id } = given
  if (removal === undefined) return
  const asked = sql`coalesce(${removal.at}::timestamptz, ${eventAt}::timestamptz, callsheet.clock())`
  const { rows } = await sql<{ askedAt: string }>`
    select ${microseconds(asked)} as "askedAt"`.execute(tx)
  const askedAt = rows[0]?.askedAt ?? ''
  const { subject } = removal
  const proof = given.prove({ subject, source: REMOVED_APP, askedAt })
  await sql`
    insert into callsheet.erasure_requests
      (account, subject, source, asked_at, requested_at, due_at, notification_id, proof)
    values (${account}, ${subject}, ${REMOVED_APP}, ${askedAt}::timestamptz,
      callsheet.clock(), callsheet.clock() + make_interval(hours => ${erasureHours}::int), ${id},
      ${proof})
    on conflict (account, subject, source, asked_at) do nothing`.execute(tx)
}

export interface NotificationStatus {
  stored: number
  /** Names of events, a few, that no document names. */
  unknown: string[]
  /** Of those, how many could not be matched, read or believed, by state. */
  odd: { state: string; count: number }[]
  lastAt: string | undefined
  /** What persons who took the app away have coming. */
  erasures: { waiting: number; firstDueAt: string | undefined }
}

/** What came in since an instant, and what waits to be erased. */
export async function notificationStatus(
  db: Transaction,
  { account, sinceMs }: { account: string; sinceMs: number },
): Promise<NotificationStatus> {
  const { rows } = await sql<{ state: string; count: number; last: string }>`
    select state, count(*) as count, max(received_at) as last from callsheet.notifications
    where account = ${account} and received_at >= ${new Date(sinceMs).toISOString()}::timestamptz
    group by state order by state`.execute(db)
  const unknown = await sql<{ event: string }>`
    select distinct event from callsheet.notifications
    where account = ${account} and received_at >= ${new Date(sinceMs).toISOString()}::timestamptz
      and state = 'unknown' order by 1 limit ${MOST_NAMES}`.execute(db)
  const erasures = await sql<{ waiting: number; first: string | null }>`
    select count(*) as waiting, min(due_at) as first from callsheet.erasure_requests
    where account = ${account} and state in ('waiting', 'under_way')`.execute(db)
  const [due] = erasures.rows
  return {
    stored: rows.reduce((sum, { count }) => sum + count, 0),
    unknown: unknown.rows.map(({ event }) => event),
    odd: rows.filter(({ state }) => ODD.has(state)).map(({ state, count }) => ({ state, count })),
    lastAt: rows
      .map(({ last }) => last)
      .toSorted()
      .at(-1),
    erasures: { waiting: due?.waiting ?? 0, firstDueAt: due?.first ?? undefined },
  }
}

const REMOVED_APP = 'app_deauthorized'
const MOST_NAMES = 100
const ODD = new Set(['ahead', 'unknown', 'foreign', 'unparsed'])
/** The sender waits for seconds, and so does nobody here, for whatever lock. */
const PATIENCE_MS = 2_500
/** Any number that no other lock of ours has. */
const CONTENT_LOCK = 2_026_000_023
