import { point } from '../core/kill-point.ts'
import { type Identity, identifies } from '../core/persons/identity.ts'
import { mentionOf } from '../core/persons/mentions.ts'
import { onlyOf } from '../core/persons/suppression.ts'
import { unveiledText } from '../core/persons/veiled.ts'
import { spelledOutPatterns } from '../core/spelled-out.ts'
import { restateSlices } from '../evidence/restate-slices.ts'
import { lockManifest } from '../evidence/sql/manifest.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { giveKey, readKey } from '../warehouse/keep-out/suppressions.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { collectIdentities } from './collect-identities.ts'
import { inDryRun } from './dry-run.ts'
import { enterOthersWords } from './enter-erasure.ts'
import { eraseStream } from './erase-stream.ts'
import {
  type Erasing,
  type ErasureDeps,
  emptyOutcome,
  type Outcome,
  vouchingOf,
} from './erasing.ts'
import { beginErasing, markReports } from './mark-reports.ts'
import { namedIn } from './named-in.ts'
import { noteErasure } from './noted-erasures.ts'
import { readKeys } from './noted-key.ts'
import { remakeReport } from './remake-report.ts'
import { removeSalts } from './sql/erasure-evidence.ts'
import { eraseLedgers, scanTables } from './sql/erasure-ledgers.ts'
import {
  beginRequest,
  type ErasureRequest,
  finishRequest,
  signRequest,
} from './sql/erasure-requests.ts'
import type { RowSearch } from './sql/mentioning-rows.ts'
import { searchPatterns } from './sql/patterns.ts'
import { type Suppressed, suppress } from './sql/suppressions.ts'
import { cleanRequests, cleanTables } from './sql/vacuum-tables.ts'
import { stateSuppressed } from './state-suppressed.ts'
import { proveSuppressed } from './suppression-proof.ts'
import { withdrawReports } from './withdraw-reports.ts'

export interface ErasePerson {
  account: string
  /** The account's lease. Writers that began earlier can no longer write. */
  lease: Lease
  signal: AbortSignal
  request: ErasureRequest
  /** Whether the person's name is erased everywhere, as the request or this call demands. */
  byName: boolean
  /** The ID or the address that the request names. */
  given: readonly Identity[]
  /**
   * Longer words that the operator declared to be another person's. Only words that contain one of the
   * identities count.
   */
  othersWords: readonly string[]
  askedBy: string
  /** Whether the operator has dealt with the files that the last attempt reported as undecided. */
  settled: boolean
  dryRun: boolean
}

/**
 * Erases one person from an account's rows, files, ledgers and reports. First puts the person on the
 * suppression list, so that no sync stores them again. At the end, signs the evidence, vacuums the tables and
 * searches them again. Each step can be repeated: the next call for the same request completes an interrupted
 * one. A dry run executes the erasing statements in a transaction that is rolled back, and changes no file,
 * report or evidence.
 */
export async function erasePerson(deps: ErasureDeps, erase: ErasePerson): Promise<Outcome> {
  if (!erase.dryRun) return await eraseEverywhere(deps, erase)
  return await inDryRun(deps, erase.lease, (inside, lease) =>
    eraseEverywhere(inside, { ...erase, lease }),
  )
}

async function eraseEverywhere(deps: ErasureDeps, erase: ErasePerson): Promise<Outcome> {
  const { account, lease, signal, request, dryRun } = erase
  const { warehouse } = deps
  const known = await retryDatabase(deps, () =>
    collectIdentities(
      warehouse.db,
      { account, streams: deps.streams, before: request.identities },
      erase.given,
    ),
  )
  const erasing: Erasing = {
    ...deps,
    account,
    lease,
    signal,
    request: request.id,
    dryRun,
    identities: known,
    suppression: onlyOf(known, erase.byName),
    outcome: emptyOutcome(),
    others: new Set(),
    othersWords: erase.othersWords.filter((word) => mentionOf(word, known) === 'within'),
    staying: new Set(),
    settled: erase.settled,
    marks: { covered: new Set() },
  }
  erasing.outcome.words = erasing.othersWords.length
  if (!dryRun) await beginErasure(erasing, erase)
  for (const stream of deps.streams) await eraseStream(erasing, stream)
  await eraseRest(erasing)
  if (dryRun) await searchAgain(erasing)
  else await endErasure(erasing, request)
  return erasing.outcome
}

/** Afterwards no sync stores the person, and the request lists the identities to erase. */
async function beginErasure(
  erasing: Erasing,
  { request, byName, askedBy }: ErasePerson,
): Promise<void> {
  const { account, othersWords, identities, warehouse } = erasing
  const { id } = request
  await point('erase:suppressing')
  const given = await givenKey(erasing)
  const decided = { request: id, othersWords, askedBy }
  await inTransaction(erasing, async (tx) => {
    await beginRequest(tx, { account, id })
    if (given !== undefined) await giveKey(tx, account, given)
    await signRequest(tx, vouchingOf(erasing), { ...request, identities })
    const prove = (one: Suppressed): Buffer => proveSuppressed(erasing.key(), account, one)
    await suppress(tx, account, { identities, requestId: id, byName, prove })
    await stateSuppressed(tx, vouchingOf(erasing), [id])
    if (othersWords.length > 0) await enterOthersWords(tx, vouchingOf(erasing), decided)
  })
  await retryDatabase(erasing, () => noteErasure(erasing, warehouse.db, { account, request }))
  await point('erase:suppressed')
}

/** Returns the key noted in the store if the database has none, as after a restore; undefined otherwise. */
async function givenKey(erasing: Erasing): Promise<Buffer | undefined> {
  const { account, warehouse } = erasing
  if ((await retryDatabase(erasing, () => readKey(warehouse.db, account))) !== undefined)
    return undefined
  return [...(await readKeys(erasing, account)).values()][0]
}

async function eraseRest(erasing: Erasing): Promise<void> {
  const { account, outcome, dryRun, identities, signal, warehouse } = erasing
  await point('erase:ledgers')
  outcome.ledgers = await inTransaction(erasing, async (tx) => {
    await beginErasing(tx, erasing)
    if (!dryRun) await lockManifest(tx, account)
    const onSlices = async (subjects: readonly string[]): Promise<void> => {
      await removeSalts(tx, account, { subjects, kinds: ['statement'] })
      if (!dryRun) await restateSlices(tx, vouchingOf(erasing), subjects)
    }
    const onRead = async (sinceMs: number): Promise<void> => {
      await markReports(tx, erasing, { stream: undefined, days: undefined, sinceMs })
    }
    return await eraseLedgers(tx, { search: searchOf(erasing), onSlices, onRead })
  })
  const { all, directory } = erasing.reports
  const transaction: Warehouse['transaction'] = (work) => inTransaction(erasing, work)
  const { bytes: _bytes, ...withdrawn } = await withdrawReports({
    warehouse: { db: warehouse.db, transaction },
    account,
    signal,
    dryRun,
    named: namedIn(identities.filter(identifies)),
    settled: erasing.settled,
    directory,
    names: [...all.map(({ name }) => name), 'audit', 'table'],
    remake: (row, paths) => remakeReport(erasing, { account, row, paths }),
  })
  outcome.reports = withdrawn
}

async function endErasure(erasing: Erasing, { id }: ErasePerson['request']): Promise<void> {
  const { account, outcome, warehouse, lease } = erasing
  await erasing.sign(lease)
  await point('erase:signed')
  await cleanTables(warehouse, erasing.streams)
  await searchAgain(erasing)
  await point('erase:finishing')
  const { tables, ledgers, files, reports, kept, another } = outcome
  const { undecided, settled: _settled, ...done } = reports
  const erased = { tables, ledgers, files, reports: done, another }
  // Stores only the number of these files: people chose some of their names, which may name the person.
  const doubts = undecided.length === 0 ? {} : { [REPORT_FILES]: undecided.length }
  const leftBehind = { ...outcome.leftBehind, ...outcome.uncertain, ...doubts }
  const open = Object.keys(kept.held).length + Object.keys(leftBehind).length > 0
  const end = { erased, kept, leftBehind, open }
  await inTransaction(erasing, (tx) => finishRequest(tx, { account, id }, end))
  await cleanRequests(warehouse)
  await point('erase:finished')
}

/** Returns whether the last attempt at a request reported undecided files. */
export function leftUndecided({ leftBehind }: Pick<ErasureRequest, 'leftBehind'>): boolean {
  return Object.hasOwn(leftBehind ?? {}, REPORT_FILES)
}

const REPORT_FILES = 'report files'

/** Searches all tables again and counts the remaining mentions. */
async function searchAgain(erasing: Erasing): Promise<void> {
  const { outcome } = erasing
  const still = await inTransaction(erasing, (tx) => scanTables(tx, searchOf(erasing)))
  outcome.leftBehind = still.named
  outcome.uncertain = still.uncertain
  outcome.another = still.another
}

function searchOf(erasing: Erasing): RowSearch {
  const { account, othersWords, identities, suppression, others, streams } = erasing
  const names = identities.filter(
    ({ kind, text }) => kind === 'name' && suppression.nameCounts(text) === 'everywhere',
  )
  const words = [...new Set(othersWords.flatMap((word) => [word, unveiledText(word)]))]
  const searched = [...identities.filter(({ kind }) => kind !== 'name'), ...names]
  const personal = new Map(streams.map((stream) => [stream.name, stream.personal]))
  return {
    account,
    likely: searchPatterns(searched),
    spelledOut: searched.flatMap(({ kind, text }) =>
      kind === 'address' ? [spelledOutPatterns(text)] : [],
    ),
    sought: ([schema, name]) => {
      // These ledgers contain parts of records of any stream.
      const ofAny = schema === 'callsheet' && (name === 'quarantine' || name === 'drift')
      const own = schema === 'callsheet' ? [] : (personal.get(name) ?? [])
      const nameFields = ofAny ? [...personal.values()].flat() : own
      const person = { identities, suppression, others, othersWords: words }
      return { ...person, ...(names.length > 0 ? { nameFields } : {}) }
    },
  }
}
