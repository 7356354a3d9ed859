import { point } from '../core/kill-point.ts'
import { countsEverywhere, type Identity, identifies, tokenOf } from '../core/persons/identity.ts'
import { mentionOf } from '../core/persons/mentions.ts'
import { suppressionOf } from '../core/persons/suppression.ts'
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
import { enterAnothers } from './enter-erasure.ts'
import { eraseStream } from './erase-stream.ts'
import {
  type Erasing,
  type ErasureDeps,
  emptyOutcome,
  type Outcome,
  vouchingOf,
} from './erasing.ts'
import { holdReports, markReports } from './mark-reports.ts'
import { namedIn } from './named-in.ts'
import { noteErasure } from './noted-erasures.ts'
import { readKeys } from './noted-key.ts'
import { remakeReport } from './remake-report.ts'
import { vouchFor } from './request-proof.ts'
import { cleanRequests, cleanTables } from './sql/clean-tables.ts'
import { removeSalts } from './sql/erasure-evidence.ts'
import { eraseLedgers, scanTables } from './sql/erasure-ledgers.ts'
import { beginRequest, type ErasureRequest, finishRequest } from './sql/erasure-requests.ts'
import type { Suppressed } from './sql/listed-suppressions.ts'
import { searchPatterns } from './sql/patterns.ts'
import type { RowSearch } from './sql/telling-rows.ts'
import { suppress } from './sql/write-suppressions.ts'
import { stateSuppressed } from './state-suppressed.ts'
import { proveSuppressed } from './suppression-proof.ts'
import { withdrawReports } from './withdraw-reports.ts'

export interface ErasePerson {
  account: string
  /** The account's lease. It fences every writer that began before. */
  lease: Lease
  signal: AbortSignal
  request: Pick<ErasureRequest, 'id' | 'byName' | 'identities'>
  /** The IDs and addresses by which the person was asked for. */
  given: readonly Identity[]
  /** Longer words that are another's, as the operator says; only those with one of the identities count. */
  anothers: readonly string[]
  askedBy: string
  /** Somebody looked after the files that the last attempt could not decide. */
  settled: boolean
  dryRun: boolean
}

/**
 * Takes one person out of everything that is kept of an account, and keeps syncs from bringing them back.
 * First the person is put on the suppression list. Then rows, files, ledgers and reports are erased. At the
 * end a head is signed over the rest, dead rows are vacuumed, and all tables are searched once more. Each
 * step can be repeated: the next call for the same request completes an interrupted one. A dry run does the
 * same in one transaction that is undone, and leaves files, reports and evidence alone.
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
    suppression: onlyOf(known, request.byName),
    outcome: emptyOutcome(),
    others: new Set(),
    anothers: erase.anothers.filter((word) => mentionOf(word, known) === 'within'),
    staying: new Set(),
    settled: erase.settled,
  }
  erasing.outcome.words = erasing.anothers.length
  if (!dryRun) await beginErasure(erasing, erase)
  for (const stream of deps.streams) await eraseStream(erasing, stream)
  await eraseRest(erasing)
  if (dryRun) await searchAgain(erasing)
  else await endErasure(erasing, request)
  return erasing.outcome
}

/** From here on no sync writes the person again, and the request keeps the identities to be erased. */
async function beginErasure(
  erasing: Erasing,
  { request: { id, byName }, askedBy }: ErasePerson,
): Promise<void> {
  const { account, anothers, identities, warehouse } = erasing
  await point('erase:suppressing')
  const given = await givenKey(erasing)
  const decided = { request: id, anothers, askedBy }
  await inTransaction(erasing, async (tx) => {
    await beginRequest(tx, id)
    if (given !== undefined) await giveKey(tx, account, given)
    await vouchFor(tx, vouchingOf(erasing), { id, identities })
    const prove = (one: Suppressed): Buffer => proveSuppressed(erasing.key(), account, one)
    await suppress(tx, account, { identities, requestId: id, byName, prove })
    await stateSuppressed(tx, vouchingOf(erasing), [id])
    if (anothers.length > 0) await enterAnothers(tx, vouchingOf(erasing), decided)
  })
  await retryDatabase(erasing, () => noteErasure(erasing, warehouse.db, { account, id }))
  await point('erase:suppressed')
}

/** A restored database without a key takes the one of before: there is one for all notes of an account. */
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
    await holdReports(tx, erasing)
    if (!dryRun) await lockManifest(tx, account)
    const onSlices = async (subjects: readonly string[]): Promise<void> => {
      await removeSalts(tx, account, { subjects, kinds: ['statement'] })
      if (!dryRun) await restateSlices(tx, vouchingOf(erasing), subjects)
    }
    const onRead = (sinceMs: number): Promise<void> =>
      markReports(tx, erasing, { stream: undefined, days: undefined, sinceMs })
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
  const { outcome, warehouse, lease } = erasing
  await erasing.sign(lease)
  await point('erase:signed')
  await cleanTables(warehouse, erasing.streams)
  await searchAgain(erasing)
  await point('erase:finishing')
  const { tables, ledgers, files, reports, kept, another } = outcome
  const { undecided, settled: _settled, ...done } = reports
  const erased = { tables, ledgers, files, reports: done, another }
  // Names of files that others made may name the person: only their number is kept.
  const doubts = undecided.length === 0 ? {} : { [REPORT_FILES]: undecided.length }
  const leftBehind = { ...outcome.leftBehind, ...outcome.uncertain, ...doubts }
  const open = Object.keys(kept.held).length + Object.keys(leftBehind).length > 0
  await inTransaction(erasing, (tx) => finishRequest(tx, id, { erased, kept, leftBehind, open }))
  await cleanRequests(warehouse)
  await point('erase:finished')
}

/** Whether the last attempt at a request left files that it could not decide, and named them. */
export function leftFiles({ leftBehind }: Pick<ErasureRequest, 'leftBehind'>): boolean {
  return Object.hasOwn(leftBehind ?? {}, REPORT_FILES)
}

const REPORT_FILES = 'report files'

/** Looks for what is left in all tables. */
async function searchAgain(erasing: Erasing): Promise<void> {
  const { outcome } = erasing
  const still = await inTransaction(erasing, (tx) => scanTables(tx, searchOf(erasing)))
  outcome.leftBehind = still.named
  outcome.uncertain = still.uncertain
  outcome.another = still.another
}

/** A suppression list of this person alone, so that earlier erasures of others are not repeated. */
function onlyOf(identities: readonly Identity[], byName: boolean) {
  const key = Buffer.alloc(32)
  const persons = identities.filter(({ kind }) => kind !== 'name')
  const names = identities.filter(({ kind }) => kind === 'name')
  return suppressionOf({
    key,
    persons: new Set(persons.map((identity) => tokenOf(key, identity))),
    names: new Map(
      names.map((identity) => [
        tokenOf(key, identity),
        countsEverywhere(identity, byName) ? 'everywhere' : 'beside',
      ]),
    ),
  })
}

function searchOf(erasing: Erasing): RowSearch {
  const { account, anothers, identities, suppression, others, streams } = erasing
  const names = identities.filter(
    ({ kind, text }) => kind === 'name' && suppression.nameCounts(text) === 'everywhere',
  )
  const words = [...new Set(anothers.flatMap((word) => [word, unveiledText(word)]))]
  const searched = [...identities.filter(({ kind }) => kind !== 'name'), ...names]
  const personal = new Map(streams.map((stream) => [stream.name, stream.personal]))
  return {
    account,
    likely: searchPatterns(searched),
    spelledOut: searched.flatMap(({ kind, text }) =>
      kind === 'address' ? [spelledOutPatterns(text)] : [],
    ),
    sought: ([schema, name]) => {
      // These ledgers have parts of records of any stream.
      const ofAny = schema === 'callsheet' && (name === 'quarantine' || name === 'drift')
      const own = schema === 'callsheet' ? [] : (personal.get(name) ?? [])
      const nameFields = ofAny ? [...personal.values()].flat() : own
      const person = { identities, suppression, others, anothers: words }
      return { ...person, ...(names.length > 0 ? { nameFields } : {}) }
    },
  }
}
