import { sql } from 'kysely'
import { insertIncidents } from '../archive/sql/incidents.ts'
import { CallsheetError } from '../core/errors.ts'
import { type Identity, identifies } from '../core/persons/identity.ts'
import { utcDay } from '../core/time/time.ts'
import { enterBreak } from '../evidence/enter-break.ts'
import type { HeadBreak } from '../evidence/log/head-break.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { giveKey } from '../warehouse/keep-out/suppressions.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { leaveMark } from '../warehouse/ledger/lineage.ts'
import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { type ErasedRequest, eraseRequests } from './erase-requests.ts'
import type { ErasureDeps } from './erasing.ts'
import { findLost, type Lost } from './find-lost.ts'
import { type FoundPerson, findListedPersons } from './find-persons.ts'
import { type NotedErasure, noteAgain } from './noted-erasures.ts'
import { vouchFor } from './request-proof.ts'
import { addRequest, readRequests, requestSubject } from './sql/erasure-requests.ts'
import { addRestoredRequest } from './sql/restored-requests.ts'
import { listTokens } from './sql/write-suppressions.ts'
import { stateSuppressed } from './state-suppressed.ts'
import { proveSuppressed } from './suppression-proof.ts'

export interface RestoreOptions {
  account: string
  askedBy: string
  /** A key holder states that the heads are lost, so that the chain goes on. */
  enterBreak: boolean
  signal: AbortSignal
  onLost?: (lost: Lost) => void
  onErased?: (erased: ErasedRequest) => void
}

export interface RestoredAccount {
  lost: Lost
  /** What this call stated. */
  broken: HeadBreak | undefined
  erased: ErasedRequest[]
}

interface Settling extends ErasureDeps {
  account: string
  lease: Lease
}

/**
 * Settles what a restored database lacks, under the account's lease: records the incident, puts whoever was
 * erased since the backup on the list again and erases them, and at last leaves this machine's mark, after
 * which work goes on. Each step can be repeated: a call that was interrupted leaves the account refused, and
 * the next one does the rest.
 */
export async function restoreAccount(
  deps: ErasureDeps,
  options: RestoreOptions,
): Promise<RestoredAccount> {
  const { account, signal } = options
  const { warehouse, clock } = deps
  const lease = await acquireLease(warehouse, { account, job: 'restored', clock, restoring: true })
  try {
    await deps.store.open()
    const settling: Settling = { ...deps, account, lease }
    const lost = await findLost(deps, account)
    options.onLost?.(lost)
    const broken = options.enterBreak ? await stateBreak(settling) : undefined
    await inTransaction(settling, (tx) => listAgain(tx, settling, lost))
    await noteAgain(settling, warehouse.db, account)
    signal.throwIfAborted()
    const erased = await eraseAgain(settling, options)
    await leaveMark(warehouse, { account, epoch: lease.epoch })
    return { lost, broken, erased }
  } finally {
    await lease.release()
  }
}

async function stateBreak(settling: Settling): Promise<HeadBreak | undefined> {
  const { account, store, key, previousKeys } = settling
  return await enterBreak({
    account,
    store,
    key: key(),
    previousKeys,
    inTransaction: (work) => inTransaction(settling, work),
  })
}

/** In one transaction, so that no sync can begin that knows only a part of whom it must not keep. */
async function listAgain(
  tx: Transaction,
  settling: Settling,
  { restored, erasures }: Lost,
): Promise<void> {
  const { account, key } = settling
  if (erasures.key !== undefined) await giveKey(tx, account, erasures.key)
  for (const one of erasures.lost) {
    const requestId = await requestOf(tx, account, one)
    const listed = one.tokens.map(([token, counts]) => ({ token, counts }))
    const prove = (listing: Parameters<typeof proveSuppressed>[2]): Buffer =>
      proveSuppressed(key(), account, listing)
    await listTokens(tx, account, { listed, requestId, prove })
    await stateSuppressed(tx, { account, key: key() }, [requestId])
  }
  // Unless this machine's mark is there: all of it was settled before.
  if (restored !== undefined || settling.warehouse.notes?.read(account) === undefined)
    await recordIncident(tx, settling, restored)
}

/** The request that put them on the list, where the database still knows it. */
async function requestOf(tx: Transaction, account: string, one: NotedErasure): Promise<number> {
  const { request, asked_at: askedAt, by_name: byName } = one
  const known = (await readRequests(tx, account, 'all')).some(
    (own) => own.id === request && own.askedAt === askedAt,
  )
  if (known) return request
  return await addRestoredRequest(tx, account, { name: `${request}:${askedAt}`, askedAt, byName })
}

/** One incident for each backup that was restored, however often this is called. */
async function recordIncident(
  tx: Transaction,
  { account, clock }: Settling,
  restored: Lost['restored'],
): Promise<void> {
  const { note, knownUntil } = restored ?? {}
  const subject =
    note === undefined ? `database:${utcDay(clock.now())}` : `database:${note.epoch}:${note.mark}`
  const detail =
    note === undefined
      ? 'a person said that the database was restored, and this machine has no note of it'
      : `the database was restored or replaced: it knew of nothing after ${knownUntil ?? 'its beginning'}, ` +
        `and this machine of work at ${note.at}`
  const incident = sql<{ kind: 'database_restored'; subject: string; detail: string }>`
    (select 'database_restored'::text as kind, ${subject}::text as subject, ${detail}::text as detail)`
  await insertIncidents(tx, { account, runId: null }, incident.as<'i'>('i')).execute()
}

/**
 * Goes on with erasures that were cut off. Then it erases who is on the list and in the tables all the same:
 * each person by one request, with all of their IDs and addresses that were found. A second look finds what
 * is left; what a legal hold keeps is not tried again.
 */
async function eraseAgain(
  settling: Settling,
  { askedBy, signal, onErased }: RestoreOptions,
): Promise<ErasedRequest[]> {
  const { account, lease } = settling
  const deps = { ...settling, sign: (held: Lease) => signIfWhole(settling, held) }
  const told = onErased && { onErased }
  // One that was cut off may have left nothing on the tables by which its person is found.
  const begun = { account, underWay: true, askedBy, byName: false, dryRun: false, lease, signal }
  const erased = await eraseRequests(deps, { ...begun, ...told })
  const tried = new Set<string>()
  for (;;) {
    const found = await findListedPersons(settling, account)
    const next = found.filter(({ identities }) => identities.some(({ text }) => !tried.has(text)))
    if (next.length === 0) return erased
    for (const { byName, identities } of next) {
      for (const { text } of identities) tried.add(text)
      const person = await askFor(settling, { byName, identities, askedBy })
      const erase = { account, persons: [person], askedBy, byName, dryRun: false, lease, signal }
      erased.push(...(await eraseRequests(deps, { ...erase, ...told })))
    }
  }
}

/** Stores the request with all that was found, which the erasure of this one then takes over. */
async function askFor(
  settling: Settling,
  { byName, identities, askedBy }: FoundPerson & { askedBy: string },
): Promise<Identity> {
  const { account, key } = settling
  const person = identities.find(identifies)
  if (person === undefined) throw new Error('What is on the list is long enough to be erased')
  const subject = requestSubject(person)
  await inTransaction(settling, async (tx) => {
    const id = await addRequest(tx, { account, subject, askedBy, byName })
    await vouchFor(tx, { account, key: key() }, { id, identities })
  })
  return person
}

/** Nothing can be signed while heads are lost: the first sync after the break was entered signs it. */
async function signIfWhole({ sign, observer, account }: Settling, lease: Lease): Promise<void> {
  try {
    await sign(lease)
  } catch (error) {
    if (!(error instanceof CallsheetError) || error.code !== 'evidence_cut') throw error
    observer.event('erasure unsigned', { account, code: error.code, level: 'warn' })
  }
}
