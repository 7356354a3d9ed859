import { CallsheetError, ConfigurationError, FencedError } from '../core/errors.ts'
import {
  type Identity,
  identifies,
  LONGEST,
  SHORTEST,
  SHORTEST_WITHIN,
} from '../core/persons/identity.ts'
import { type Suppression, suppressionOf } from '../core/persons/suppression.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { readSuppressions } from '../warehouse/keep-out/suppressions.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { erasePerson, leftUndecided } from './erase-person.ts'
import { type ErasureDeps, foundAny, type Outcome } from './erasing.ts'
import {
  askFor,
  type ErasureRequest,
  isProven,
  personOf,
  readRequests,
  requestSubject,
  signRequest,
  unstored,
} from './sql/erasure-requests.ts'

export interface EraseRequests {
  account: string
  /** Whom to erase; by default the persons of the open requests that `ripe` and `underWay` select. */
  persons?: readonly Identity[]
  /** All known identities of the only person in `persons`. */
  identities?: readonly Identity[]
  /** Leaves out requests in the state `kept` that were tried in the last 24 hours. */
  ripe?: boolean
  /** Selects only requests whose erasure was interrupted. */
  underWay?: boolean
  askedBy: string
  byName: boolean
  dryRun: boolean
  /**
   * Longer words, containing an ID or an address of a person, that the operator declared to be another
   * person's.
   */
  othersWords?: readonly string[]
  /** Whether the operator has dealt with the files that the last attempt reported as undecided. */
  settled?: boolean
  /** Numbers of requests of unproven origin that the operator confirms. */
  confirmed?: readonly number[]
  /** Called with the confirmed requests before anything is erased, to show whom the numbers mean. */
  onConfirmed?: (requests: ErasureRequest[]) => void
  /** The caller's lease, which the caller releases. Without it, the erasure takes a lease of its own. */
  lease?: Lease
  signal: AbortSignal
  /** Called with the requests that are skipped because none of our keys proves them. */
  onUnproven?: (ids: number[]) => void
  /** Called with each person's outcome, in turn. */
  onErased?: (erased: ErasedRequest) => void
}

export interface ErasedRequest {
  /** The request's number; undefined in a dry run without a stored request. */
  request: number | undefined
  source: string
  /** Whether any data named the person, or the person was erased before. Otherwise the ID may be mistyped. */
  known: boolean
  outcome: Outcome
}

/**
 * Erases persons one after the other under the account's lease. No sync runs in the meantime, and a process
 * that slept is fenced when it wakes up. Except in a dry run, stores the requests before any change, so that
 * the next call completes an interrupted erasure. After a CallsheetError, the other persons are still tried,
 * and the first error is thrown at the end. Throws BusyError while another process has the lease.
 */
export async function eraseRequests(
  deps: ErasureDeps,
  erase: EraseRequests,
): Promise<ErasedRequest[]> {
  const { account } = erase
  const { warehouse, clock } = deps
  if (erase.lease !== undefined) return await eraseUnder(erase.lease, deps, erase)
  const lease = await acquireLease(warehouse, { account, job: 'erase', clock })
  try {
    return await eraseUnder(lease, deps, erase)
  } finally {
    await lease.release()
  }
}

async function eraseUnder(
  lease: Lease,
  deps: ErasureDeps,
  erase: EraseRequests,
): Promise<ErasedRequest[]> {
  const { account, dryRun, onErased, othersWords = [], settled = false, askedBy } = erase
  const done: ErasedRequest[] = []
  const signal = AbortSignal.any([erase.signal, lease.lost])
  if (!dryRun) await deps.store.open()
  const { wanted, before } = await begin({ ...deps, lease }, erase)
  let failure: CallsheetError | undefined
  for (const request of wanted) {
    signal.throwIfAborted()
    const given = [personOf(request.subject)]
    const byName = request.byName || erase.byName
    const asked = { othersWords, askedBy, request, byName }
    // `settled` counts only if the last attempt reported undecided files.
    const more = { settled: settled && leftUndecided(request) }
    const person = { account, lease, signal, given, dryRun, ...asked, ...more }
    try {
      const outcome = await erasePerson(deps, person)
      const known = foundAny(outcome) || given.some(({ text }) => before.isPerson(text))
      const erased = { request: request.id || undefined, source: request.source, known, outcome }
      done.push(erased)
      onErased?.(erased)
    } catch (error) {
      // The cause may affect only this person, so the others are still tried.
      if (signal.aborted || error instanceof FencedError || !(error instanceof CallsheetError))
        throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  return done
}

/** Returns the requests to carry out, and the earlier suppression list. */
async function begin(
  deps: ErasureDeps & { lease: Lease },
  erase: EraseRequests,
): Promise<Begun & { before: Suppression }> {
  const { account, persons, dryRun } = erase
  const work = async (tx: Transaction) => {
    const before = suppressionOf(await readSuppressions(tx, account))
    if (persons === undefined) return { ...(await provenRequests(tx, deps, erase)), before }
    return { wanted: await enter(tx, deps, { ...erase, persons }), before }
  }
  const begun: Begun & { before: Suppression } = dryRun
    ? await retryDatabase(deps, () => work(deps.warehouse.db))
    : await inTransaction(deps, work)
  const { unproven = [], vouched = [] } = begun
  if (unproven.length > 0) erase.onUnproven?.(unproven)
  if (vouched.length > 0) erase.onConfirmed?.(vouched)
  return begun
}

type Signing = Pick<ErasureDeps, 'key' | 'secrets'>

interface Begun {
  wanted: ErasureRequest[]
  /** The numbers of requests that are skipped. */
  unproven?: number[]
  /** Requests that the caller confirmed. */
  vouched?: ErasureRequest[]
}

/** Returns the open requests that one of our keys proves, and those that the caller confirms. */
async function provenRequests(
  tx: Transaction,
  { key, secrets }: Signing,
  { account, ripe, underWay, confirmed = [], dryRun }: EraseRequests,
): Promise<Begun> {
  const which = underWay === true ? 'under_way' : ripe === true ? 'ripe' : 'open'
  const all = await readRequests(tx, account, which)
  const unknown = confirmed.filter((id) => !all.some((one) => one.id === id))
  if (unknown.length > 0) throw noSuchRequest(unknown)
  if (all.length === 0) return { wanted: [] }
  const signing = key()
  const keys = { evidence: signing.publicKey, secrets }
  const proven = new Set(all.filter((one) => isProven(keys, account, one)).map(({ id }) => id))
  const wanted = all
    .filter(({ id }) => proven.has(id) || confirmed.includes(id))
    // Confirming a request does not confirm its stored identities, so they are collected again.
    .map((one) => (proven.has(one.id) ? one : { ...one, identities: [] }))
  const vouched = wanted.filter(({ id }) => confirmed.includes(id))
  if (!dryRun)
    for (const request of vouched) await signRequest(tx, { account, key: signing }, request)
  const unproven = all.flatMap(({ id }) => (wanted.some((one) => one.id === id) ? [] : [id]))
  return { wanted, unproven, vouched }
}

/** Stores a request for each person. In a dry run, only returns such requests. */
async function enter(
  tx: Transaction,
  { key, secrets }: Signing,
  { account, persons, identities, byName, dryRun, askedBy }: Entering,
): Promise<ErasureRequest[]> {
  for (const person of persons) if (!identifies(person)) throw tooShort()
  const subjects = persons.map(requestSubject)
  if (dryRun) return subjects.map((subject) => unstored(subject, byName))
  const signer = { account, key: key(), secrets }
  const more = identities && { identities }
  const entered: ErasureRequest[] = []
  for (const subject of subjects)
    entered.push(await askFor(tx, signer, { subject, askedBy, byName, ...more }))
  return entered
}

type Entering = EraseRequests & { persons: readonly Identity[] }

function noSuchRequest(ids: readonly number[]): ConfigurationError {
  return new ConfigurationError('request_unknown', {
    tried: `Confirming the requests ${ids.join(', ')}`,
    came: 'this account has no open erasure requests with these numbers',
    todo: 'run callsheet erase --list to see the open requests',
  })
}

function tooShort(): ConfigurationError {
  return new ConfigurationError('identity_length', {
    tried: 'Erasing a person',
    expected:
      `an ID or an email address of ${SHORTEST} to ${LONGEST} characters ` +
      `(if only digits, at least ${SHORTEST_WITHIN})`,
    came: 'the ID or address is too long, or so short that it may also match data of other people',
    todo: 'use the user ID that callsheet call users.list shows',
  })
}
