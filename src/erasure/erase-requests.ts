import { CallsheetError, ConfigurationError, FencedError } from '../core/errors.ts'
import {
  type Identity,
  identifies,
  LONGEST,
  SHORTEST,
  SHORTEST_WITHIN,
} from '../core/persons/identity.ts'
import { suppressionOf } from '../core/persons/suppression.ts'
import { readSuppressions } from '../warehouse/keep-out/suppressions.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { erasePerson, leftUndecided } from './erase-person.ts'
import { type ErasureDeps, foundAny, type Outcome } from './erasing.ts'
import { isProven, type RequestKeys, signRequest } from './request-proof.ts'
import {
  addRequest,
  type ErasureRequest,
  type NewRequest,
  personOf,
  readRequests,
  requestSubject,
} from './sql/erasure-requests.ts'

export interface EraseRequests {
  account: string
  /** Whom to erase. Without it, all persons with an open request are erased. */
  persons?: readonly Identity[]
  /**
   * Takes only open requests that are due for an attempt: a request blocked by a hold is tried once a day.
   */
  ripe?: boolean
  /** Takes only requests whose erasure was interrupted. */
  underWay?: boolean
  askedBy: string
  byName: boolean
  dryRun: boolean
  /**
   * Longer words, containing an ID or an address of a person, that the operator declared to be another
   * person's.
   */
  othersWords?: readonly string[]
  /** The operator has dealt with the files that the last attempt reported as undecided. */
  settled?: boolean
  /** Numbers of requests of unproven origin that the operator confirms. */
  confirmed?: readonly number[]
  /**
   * Called with the confirmed requests before anything is erased, because they were confirmed by number
   * alone.
   */
  onConfirmed?: (requests: ErasureRequest[]) => void
  /** The caller's lease, which the caller releases. Without one, the erasure takes its own. */
  lease?: Lease
  signal: AbortSignal
  /** Called with the requests that are skipped because none of our keys proves them. */
  onUnproven?: (ids: number[]) => void
  /** Called with each person's outcome, in turn. */
  onErased?: (erased: ErasedRequest) => void
}

export interface ErasedRequest {
  /** Its number; undefined in a dry run without a stored request. */
  request: number | undefined
  source: string
  /** Whether any data named the person, or they were erased before. Otherwise the ID may be mistyped. */
  known: boolean
  outcome: Outcome
}

/**
 * Erases persons one after the other under the account's lease. No sync runs meanwhile, and a process that
 * slept is fenced when it wakes up. Requests are stored before anything is changed, so the next call
 * completes an interrupted erasure. If one person's erasure fails, the others are still tried, and the first
 * error is thrown at the end. Throws BusyError while another process works for the account.
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
  const { warehouse } = deps
  const done: ErasedRequest[] = []
  const signal = AbortSignal.any([erase.signal, lease.lost])
  if (!dryRun) await deps.store.open()
  const wanted =
    erase.persons === undefined
      ? await provenRequests({ ...deps, lease }, erase)
      : await enter({ ...deps, lease }, { ...erase, persons: erase.persons })
  const before = suppressionOf(
    await retryDatabase(deps, () => readSuppressions(warehouse.db, account)),
  )
  let failure: CallsheetError | undefined
  for (const request of wanted) {
    signal.throwIfAborted()
    const given = [personOf(request.subject)]
    const byName = request.byName || erase.byName
    const asked = { othersWords, askedBy, request: { ...request, byName } }
    // Only reported files can have been dealt with.
    const more = { settled: settled && leftUndecided(request) }
    const person = { account, lease, signal, given, dryRun, ...asked, ...more }
    try {
      const outcome = await erasePerson(deps, person)
      const known = foundAny(outcome) || given.some(({ text }) => before.isPerson(text))
      const erased = { request: request.id || undefined, source: request.source, known, outcome }
      done.push(erased)
      onErased?.(erased)
    } catch (error) {
      // The cause may concern this person alone, so the others are still tried.
      if (signal.aborted || error instanceof FencedError || !(error instanceof CallsheetError))
        throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  return done
}

type Entering = Pick<ErasureDeps, 'key' | 'secrets'> & Parameters<typeof inTransaction>[0]

/** Returns the open requests that one of our keys proves, and those that the caller confirms. */
async function provenRequests(
  deps: Entering,
  { account, ripe, underWay, confirmed = [], dryRun, ...options }: EraseRequests,
): Promise<ErasureRequest[]> {
  const { onUnproven, onConfirmed } = options
  const which = underWay === true ? 'under_way' : ripe === true ? 'ripe' : 'open'
  const all = await retryDatabase(deps, () => readRequests(deps.warehouse.db, account, which))
  const unknown = confirmed.filter((id) => !all.some((one) => one.id === id))
  if (unknown.length > 0) throw noSuchRequest(unknown)
  if (all.length === 0) return []
  const keys = keysOf(deps)
  const proven = new Set(all.filter((one) => isProven(keys, account, one)).map(({ id }) => id))
  const ours = all
    .filter(({ id }) => proven.has(id) || confirmed.includes(id))
    // Confirming a request does not confirm its stored identities: they are collected anew.
    .map((one) => (proven.has(one.id) ? one : { ...one, identities: [] }))
  const isOurs = new Set(ours.map(({ id }) => id))
  const left = all.flatMap(({ id }) => (isOurs.has(id) ? [] : [id]))
  if (left.length > 0) onUnproven?.(left)
  const vouched = ours.filter(({ id }) => confirmed.includes(id))
  if (vouched.length > 0) onConfirmed?.(vouched)
  if (!dryRun)
    await inTransaction(deps, async (tx) => {
      for (const request of vouched) await signRequest(tx, { account, key: deps.key() }, request)
    })
  return ours
}

function keysOf({ key, secrets }: Pick<ErasureDeps, 'key' | 'secrets'>): RequestKeys {
  return { evidence: key().publicKey, secrets }
}

type Wanted = Pick<
  ErasureRequest,
  'id' | 'subject' | 'source' | 'byName' | 'identities' | 'leftBehind'
>

async function enter(
  deps: Entering,
  { account, persons, byName, dryRun, askedBy }: EraseRequests & { persons: readonly Identity[] },
): Promise<Wanted[]> {
  for (const person of persons) if (!identifies(person)) throw tooShort()
  const subjects = persons.map(requestSubject)
  if (dryRun)
    return subjects.map((subject) => ({
      id: 0,
      subject,
      source: 'command',
      byName,
      identities: [],
      leftBehind: null,
    }))
  const ids = await inTransaction(deps, async (tx) => {
    const made: number[] = []
    const waiting = await readRequests(tx, account)
    for (const subject of subjects) {
      const id = await addRequest(tx, { account, subject, askedBy, byName } satisfies NewRequest)
      const before = waiting.find((one) => one.id === id)
      // Anybody may have added identities to an unproven request, so they are not used.
      const known = before !== undefined && isProven(keysOf(deps), account, before)
      const identities = known ? before.identities : []
      await signRequest(tx, { account, key: deps.key() }, { id, identities })
      made.push(id)
    }
    return made
  })
  const all = await retryDatabase(deps, () => readRequests(deps.warehouse.db, account))
  return all.filter(({ id }) => ids.includes(id))
}

function noSuchRequest(ids: readonly number[]): ConfigurationError {
  return new ConfigurationError('request_unknown', {
    tried: `Confirming the requests ${ids.join(', ')}`,
    expected: 'numbers of requests of this account that are not done',
    came: 'none of these waits',
    todo: 'see who does: callsheet erase --list',
  })
}

function tooShort(): ConfigurationError {
  return new ConfigurationError('identity_too_short', {
    tried: 'Erasing a person',
    expected:
      `an ID or an address of ${SHORTEST} to ${LONGEST} characters, ` +
      `or ${SHORTEST_WITHIN} digits or more`,
    came: 'one that is shorter or longer, and would be found in what others have',
  })
}
