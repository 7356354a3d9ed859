import type { Observer } from '../../core/define/observer.ts'
import type { Words } from '../../core/define/own-words.ts'
import { LoadError } from '../../core/errors.ts'
import { type EventBody, readBody, storableBody } from '../../core/notifications/body.ts'
import { type EventOwner, type ReadEvent, readEvent } from '../../core/notifications/read-event.ts'
import { addressesIn } from '../../core/notifications/subjects.ts'
import { redactValue } from '../../core/persons/redact.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import type { ColumnPolicy } from '../../core/records/column-policy.ts'
import type { Clock } from '../../core/time/clock.ts'
import { proofBySecret } from '../../erasure/sql/erasure-requests.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { refuseElsewhere } from '../../warehouse/ledger/moved.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { type NewNotification, storeNotification } from './stored-notifications.ts'

export interface ReceivingDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
}

/** The account of an endpoint. */
export interface Receiving extends EventOwner {
  account: string
  /** The account's first notification secret. It proves where an erasure request came from. */
  secret: string
  words?: Words | undefined
  /** The fields that the account must not store, if any. */
  columns?: ColumnPolicy | undefined
}

/**
 * Stores a verified notification. Resolves once it is committed: `stored` if it was new, else `repeated`.
 * Needs no lease, because syncs do not write these tables.
 */
export async function receiveNotification(
  deps: ReceivingDeps,
  receiving: Receiving,
  bytes: Uint8Array,
): Promise<'stored' | 'repeated'> {
  await refuseElsewhere(deps.warehouse, receiving.account)
  const received = readBody(bytes)
  const { words, columns } = receiving
  const reading = { owner: receiving, nowMs: deps.clock.now(), words }
  const body = storableBody(received, columns)
  const read = readEvent(received.parsed, reading)
  const subjects = body === received ? read.subjects : readEvent(body.parsed, reading).subjects
  const all = { received, body, read, subjects }
  const stored = await store(deps, receiving, all).catch((error: unknown) => {
    if (!isRefusedData(error)) throw error
    // A column rejected one of the parsed values. The bytes alone contain the whole notification.
    return store(deps, receiving, { ...all, body: { ...body, parsed: undefined, json: null } })
  })
  return stored ? 'stored' : 'repeated'
}

async function store(
  { warehouse, clock, observer }: ReceivingDeps,
  { account, secret, columns }: Receiving,
  { received, body, read, subjects }: Storing,
): Promise<boolean> {
  const parsed = body.parsed !== undefined
  const { event, time, findings } = read
  const told: NewNotification = {
    account,
    event,
    eventTs: time.received,
    eventAt: time.at,
    hash: body.hash,
    state: parsed ? read.state : 'unparsed',
    subjects: subjectsIn(subjects, body),
    findings,
    payload: body.json,
    body: body.bytes,
    says: parsed ? read.says : undefined,
    removal: read.removal,
    prove: (request) =>
      proofBySecret(secret, { account, ...request, byName: false, identities: [] }),
  }
  const kept = (suppression: Suppression): NewNotification =>
    namesErased(subjectsIn(read.subjects, received), received, suppression) ? emptied(told) : told
  return await retryDatabase({ clock, observer }, () =>
    storeNotification(warehouse, { ...told, columns }, kept),
  )
}

interface Storing {
  /** The body and its content as received, by which an erased person is recognized. */
  received: EventBody
  read: ReadEvent
  /** The body and the subjects as they may be stored. */
  body: EventBody
  subjects: readonly string[]
}

function subjectsIn(subjects: readonly string[], { parsed, bytes }: EventBody): readonly string[] {
  if (parsed !== undefined) return subjects
  return [...new Set([...subjects, ...addressesIn(bytes.toString())])]
}

/** Whether an erased person is a subject of the notification or is named anywhere in it. */
function namesErased(
  subjects: readonly string[],
  { parsed, bytes }: EventBody,
  suppression: Suppression,
): boolean {
  if (suppression.empty) return false
  // Searches the text if the body is not JSON.
  const said = parsed ?? bytes.toString()
  return (
    subjects.some((subject) => suppression.isPerson(subject.slice(subject.indexOf(':') + 1))) ||
    redactValue({ personal: [] }, said, { suppression }) !== said
  )
}

/**
 * Removes the content because of an erased person. The event's name and time, and the hash, which recognizes
 * a repetition, remain.
 */
function emptied(told: NewNotification): NewNotification {
  const nothing = { eventTs: null, subjects: [], findings: [], payload: null, says: undefined }
  return { ...told, ...nothing, state: 'erased', body: Buffer.alloc(0) }
}

/**
 * Whether Postgres rejected the data itself (by a data exception or limit), so that a retry would fail too.
 */
function isRefusedData(error: unknown): boolean {
  return error instanceof LoadError && /^sql_(22|54)/.test(error.code)
}
