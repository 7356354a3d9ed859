import type { Observer } from '../../core/define/observer.ts'
import type { Words } from '../../core/define/own-words.ts'
import { LoadError } from '../../core/errors.ts'
import { type EventBody, readBody } from '../../core/events/body.ts'
import { type EventOwner, type ReadEvent, readEvent } from '../../core/events/read-event.ts'
import { addressesIn } from '../../core/events/subjects.ts'
import { redactValue } from '../../core/persons/redact.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import type { Clock } from '../../core/time/clock.ts'
import { proofBySecret } from '../../erasure/request-proof.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { type NewNotification, storeNotification } from './stored-notifications.ts'

export interface ReceivingDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
}

/** Of which account the endpoint is, and what it must be told of. */
export interface Receiving extends EventOwner {
  account: string
  /** What notifications are signed with: it shows on a request for an erasure where that came from. */
  secret: string
  words?: Words | undefined
}

/**
 * Keeps a verified notification; resolves once it is committed, with whether it was new. Needs no lease: what
 * it writes no sync writes.
 */
export async function receiveNotification(
  deps: ReceivingDeps,
  receiving: Receiving,
  bytes: Uint8Array,
): Promise<'stored' | 'repeated'> {
  const body = readBody(bytes)
  const { words } = receiving
  const read = readEvent(body.parsed, { owner: receiving, nowMs: deps.clock.now(), words })
  const stored = await store(deps, receiving, { body, read }).catch((error: unknown) => {
    if (!isRefusedData(error)) throw error
    // A number or a text that no column takes: the bytes are kept, so that nothing is lost.
    return store(deps, receiving, { body: { ...body, parsed: undefined, json: null }, read })
  })
  return stored ? 'stored' : 'repeated'
}

async function store(
  { warehouse, clock, observer }: ReceivingDeps,
  { account, secret }: Receiving,
  { body, read }: { body: EventBody; read: ReadEvent },
): Promise<boolean> {
  const parsed = body.parsed !== undefined
  const { event, time, subjects, findings } = read
  const told: NewNotification = {
    account,
    event,
    eventTs: time.received,
    eventAt: time.at,
    hash: body.hash,
    state: parsed ? read.state : 'unparsed',
    subjects: parsed
      ? subjects
      : [...new Set([...subjects, ...addressesIn(body.bytes.toString())])],
    findings,
    payload: body.json,
    body: body.bytes,
    says: parsed ? read.says : undefined,
    removal: read.removal,
    prove: (request) =>
      proofBySecret(secret, { account, ...request, byName: false, identities: [] }),
  }
  const kept = (suppression: Suppression): NewNotification =>
    namesErased(told, body, suppression) ? emptied(told) : told
  return await retryDatabase({ clock, observer }, () => storeNotification(warehouse, told, kept))
}

/** By whom it concerns, or anywhere else in it: an erasure empties one for that, too. */
function namesErased(
  { subjects }: NewNotification,
  { parsed, bytes }: EventBody,
  suppression: Suppression,
): boolean {
  if (suppression.empty) return false
  // Of what is no JSON the text alone can say it.
  const said = parsed ?? bytes.toString()
  return (
    subjects.some((subject) => suppression.isPerson(subject.slice(subject.indexOf(':') + 1))) ||
    redactValue({ personal: [] }, said, { suppression }) !== said
  )
}

/** That something came is kept, and what tells when it comes again; not what it says of who was erased. */
function emptied(told: NewNotification): NewNotification {
  const nothing = { eventTs: null, subjects: [], findings: [], payload: null, says: undefined }
  return { ...told, ...nothing, state: 'erased', body: Buffer.alloc(0) }
}

/** Data exceptions and program limits of Postgres: trying again brings the same. */
function isRefusedData(error: unknown): boolean {
  return error instanceof LoadError && /^sql_(22|54)/.test(error.code)
}
