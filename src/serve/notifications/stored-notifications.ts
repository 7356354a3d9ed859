import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type Suppression, suppressionOf } from '../../core/persons/suppression.ts'
import type { ColumnPolicy } from '../../core/records/column-policy.ts'
import { microseconds } from '../../erasure/sql/erasure-requests.ts'
import { lockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { requireAsStrict } from '../../warehouse/keep-out/column-policies.ts'
import { holdSuppressions } from '../../warehouse/keep-out/erasure-locks.ts'
import { readSuppressions } from '../../warehouse/keep-out/suppressions.ts'
import { ago, now } from '../../warehouse/schema/expressions.ts'
import type { Database } from '../../warehouse/schema/types.ts'

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
  /** JSON text; null if the database does not accept it as JSON, or if the content was removed. */
  payload: string | null
  body: Buffer
  says?: { thing: string; key: readonly string[]; state: string; rank: number } | undefined
  removal?: { subject: string; at: string | null } | undefined
  /** Returns the proof that this process, which received the notification, entered the erasure request. */
  prove(request: { subject: string; source: string; askedAt: string }): Buffer
}

/**
 * Stores a notification and its effects in one transaction. Returns true if it was new. Equal content is
 * stored once; if the event has no time, once within the 3 hours of `seenBefore`.
 */
export async function storeNotification(
  warehouse: Warehouse,
  { account, hash, columns }: StoredUnder,
  /** Returns the parts that may be stored according to the suppression list. */
  kept: (suppression: Suppression) => NewNotification,
): Promise<boolean> {
  const keep = async (tx: Transaction): Promise<boolean> => {
    const content = `${account} ${hash.toString('hex')}`
    // Locks the content, because two notifications with equal content may arrive at once.
    await lockText(tx, content, { space: CONTENT_LOCK })
    await holdSuppressions(tx, account)
    await requireAsStrict(tx, account, columns)
    const notification = kept(suppressionOf(await readSuppressions(tx, account)))
    const id = await insert(tx, notification)
    if (id === undefined) return false
    if (notification.says !== undefined) await stateFrom(tx, { ...notification, id })
    if (notification.removal !== undefined) await demandErasure(tx, { ...notification, id })
    return true
  }
  return await warehouse.transaction(keep, { patienceMs: PATIENCE_MS })
}

interface StoredUnder extends Pick<NewNotification, 'account' | 'hash'> {
  /** The policy that was applied to the notification. */
  columns: ColumnPolicy | undefined
}

type Inserted = NewNotification & { id: number }

async function insert(tx: Transaction, given: NewNotification): Promise<number | undefined> {
  const { account, event, eventTs, eventAt, hash, state, payload, body } = given
  const inserted = await tx
    .insertInto('callsheet.notifications')
    .columns([
      'account',
      'event',
      'event_ts',
      'event_at',
      'received_at',
      'hash',
      'state',
      'subjects',
      'findings',
      'payload',
      'body',
    ])
    .expression(
      tx
        .selectNoFrom(({ val }) => [
          val(account).as('account'),
          val(event).as('event'),
          val(eventTs).as('event_ts'),
          sql`${eventAt}::timestamptz`.as('event_at'),
          now.as('received_at'),
          sql`${hash}::bytea`.as('hash'),
          val(state).as('state'),
          sql`${[...given.subjects]}::text[]`.as('subjects'),
          sql`${[...given.findings]}::text[]`.as('findings'),
          sql`${payload}::jsonb`.as('payload'),
          sql`${body}::bytea`.as('body'),
        ])
        .where(({ exists, not, selectFrom }) => {
          const same = selectFrom('callsheet.notifications as n')
            .select('n.id')
            .where('n.account', '=', account)
            .where('n.hash', '=', hash)
            .where((eb) => seenBefore(eb, eventAt))
          return not(exists(same))
        }),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}

/**
 * Returns true if this content was stored before. If the event has no time, only the last 3 hours count: the
 * sender retries for 115 minutes, and later equal content may be a new event.
 */
function seenBefore({ and, eb }: Notifications, eventAt: string | null): Expression<SqlBool> {
  return eventAt === null
    ? and([eb('n.event_at', 'is', null), eb('n.received_at', '>', ago('3 hours'))])
    : eb('n.event_at', 'is not', null)
}

type Notifications = ExpressionBuilder<Database & { n: Database['callsheet.notifications'] }, 'n'>

/** Stores the state that a notification reports, unless a newer one is known. Without a time, uses now. */
export async function stateFrom(
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
  await tx
    .insertInto('callsheet.event_states')
    .values({
      account,
      thing,
      key: [...key],
      state,
      at: eventAt ?? now,
      rank,
      hash,
      notification_id: id,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'thing', 'key'])
        .doUpdateSet(({ ref }) => ({
          state: ref('excluded.state'),
          at: ref('excluded.at'),
          rank: ref('excluded.rank'),
          hash: ref('excluded.hash'),
          notification_id: ref('excluded.notification_id'),
        }))
        .where(({ eb, refTuple }) =>
          eb(
            refTuple(
              'callsheet.event_states.at',
              'callsheet.event_states.rank',
              'callsheet.event_states.hash',
            ),
            '<',
            refTuple('excluded.at', 'excluded.rank', 'excluded.hash'),
          ),
        ),
    )
    .execute()
}

async function demandErasure(tx: Transaction, given: Inserted): Promise<void> {
  const { account, removal, eventAt, id } = given
  if (removal === undefined) return
  const asked = sql`coalesce(${removal.at}::timestamptz, ${eventAt}::timestamptz, callsheet.clock())`
  const { askedAt } = await tx
    .selectNoFrom(microseconds(asked).as('askedAt'))
    .executeTakeFirstOrThrow()
  const { subject } = removal
  const proof = given.prove({ subject, source: REMOVED_APP, askedAt })
  await tx
    .insertInto('callsheet.erasure_requests')
    .values({
      account,
      subject,
      source: REMOVED_APP,
      asked_at: askedAt,
      requested_at: now,
      due_at: sql<string>`callsheet.clock() + make_interval(hours => ${ERASURE_HOURS}::int)`,
      notification_id: id,
      proof,
    })
    .onConflict((conflict) =>
      conflict.columns(['account', 'subject', 'source', 'asked_at']).doNothing(),
    )
    .execute()
}

const REMOVED_APP = 'app_deauthorized'
/** The deadline for the erasure. `callsheet serve` erases the person before the account's next job. */
const ERASURE_HOURS = 24
/** How long to wait for a lock: the sender waits only for seconds. */
const PATIENCE_MS = 2_500
/** The advisory lock's number, which no other lock of Callsheet has. */
const CONTENT_LOCK = 2_026_000_023
