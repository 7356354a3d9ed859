import { sql } from 'kysely'
import { insertIncidents } from '../archive/sql/incidents.ts'
import { CallsheetError } from '../core/errors.ts'
import { identifies } from '../core/persons/identity.ts'
import { utcDay } from '../core/time/time.ts'
import { type Break, enterBreak } from '../evidence/enter-break.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { giveKey } from '../warehouse/keep-out/suppressions.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { leaveMark } from '../warehouse/ledger/lineage.ts'
import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { type ErasedRequest, eraseRequests } from './erase-requests.ts'
import type { ErasureDeps } from './erasing.ts'
import { findLost, type Lost } from './find-lost.ts'
import { findListedPersons } from './find-persons.ts'
import { restoreNotes } from './noted-erasures.ts'
import { addRestoredRequest } from './sql/closed-requests.ts'
import { readRequests } from './sql/erasure-requests.ts'
import { listTokens } from './sql/suppressions.ts'
import { stateSuppressed } from './state-suppressed.ts'
import { proveSuppressed } from './suppression-proof.ts'

export interface RestoreOptions {
  account: string
  askedBy: string
  /** Whether a person with the key states that checkpoints are lost, so that the log continues. */
  enterBreak: boolean
  signal: AbortSignal
  onLost?: (lost: Lost) => void
  onErased?: (erased: ErasedRequest) => void
}

export interface RestoredAccount {
  lost: Lost
  /** The break that this call stated. */
  broken: Break | undefined
  erased: ErasedRequest[]
}

interface Settling extends ErasureDeps {
  account: string
  lease: Lease
}

/**
 * Settles a restored database under the account's lease: records the incident, puts the persons of lost
 * erasures on the suppression list again and erases them. Finally writes this machine's mark; from then on,
 * work continues. Each step can be repeated: after an interrupted call, work stays blocked and the next call
 * does the remaining steps.
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
    await inTransaction(settling, (tx) => restoreSuppressions(tx, settling, lost))
    await restoreNotes(settling, warehouse.db, account)
    signal.throwIfAborted()
    const erased = await eraseAgain(settling, options)
    await leaveMark(warehouse, { account, epoch: lease.epoch })
    return { lost, broken, erased }
  } finally {
    await lease.release()
  }
}

async function stateBreak(settling: Settling): Promise<Break | undefined> {
  const { account, store, key, previousKeys } = settling
  return await enterBreak({
    account,
    store,
    key: key(),
    previousKeys,
    inTransaction: (work) => inTransaction(settling, work),
  })
}

/** Uses one transaction, so that no sync starts with an incomplete suppression list. */
async function restoreSuppressions(
  tx: Transaction,
  settling: Settling,
  { restored, erasures }: Lost,
): Promise<void> {
  const { account, key } = settling
  if (erasures.key !== undefined) await giveKey(tx, account, erasures.key)
  const requests = await readRequests(tx, account, 'all')
  for (const { request, asked_at: askedAt, by_name: byName, tokens } of erasures.lost) {
    const known = requests.some((own) => own.id === request && own.askedAt === askedAt)
    const name = `${request}:${askedAt}`
    const requestId = known
      ? request
      : await addRestoredRequest(tx, account, { name, askedAt, byName })
    const listed = tokens.map(([token, counts]) => ({ token, counts }))
    const prove = (listing: Parameters<typeof proveSuppressed>[2]): Buffer =>
      proveSuppressed(key(), account, listing)
    await listTokens(tx, account, { listed, requestId, prove })
    await stateSuppressed(tx, { account, key: key() }, [requestId])
  }
  // If nothing was restored since this machine's mark, there is no new incident.
  if (restored !== undefined || settling.warehouse.notes?.read(account) === undefined)
    await recordIncident(tx, settling, restored)
}

/** Records one incident for each restored backup, or each UTC day if this machine has no note of it. */
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
 * Continues interrupted erasures, then erases everybody who is on the list and in the tables, with one
 * request per person and all IDs and addresses found. Searches until it finds nobody new, so it does not
 * retry data under a legal hold.
 */
async function eraseAgain(
  settling: Settling,
  { askedBy, signal, onErased }: RestoreOptions,
): Promise<ErasedRequest[]> {
  const { account, lease } = settling
  const deps = { ...settling, sign: (held: Lease) => signIfWhole(settling, held) }
  const more = onErased && { onErased }
  // An interrupted erasure may have left no identity of its person in the tables.
  const begun = { account, underWay: true, askedBy, byName: false, dryRun: false, lease, signal }
  const erased = await eraseRequests(deps, { ...begun, ...more })
  const tried = new Set<string>()
  for (;;) {
    const found = await findListedPersons(settling, account)
    const next = found.filter(({ identities }) => identities.some(({ text }) => !tried.has(text)))
    if (next.length === 0) return erased
    for (const { byName, identities } of next) {
      for (const { text } of identities) tried.add(text)
      const person = identities.find(identifies)
      if (person === undefined) throw new Error('What is on the list is long enough to be erased')
      const persons = [person]
      const erase = { account, persons, identities, askedBy, byName, dryRun: false, lease, signal }
      erased.push(...(await eraseRequests(deps, { ...erase, ...more })))
    }
  }
}

/** Signs the log, unless checkpoints are lost and the break has not been entered. */
async function signIfWhole({ sign, observer, account }: Settling, lease: Lease): Promise<void> {
  try {
    await sign(lease)
  } catch (error) {
    if (!(error instanceof CallsheetError) || error.code !== 'evidence_cut') throw error
    observer.event('erasure unsigned', { account, code: error.code, level: 'warn' })
  }
}
