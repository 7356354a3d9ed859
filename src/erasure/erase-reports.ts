import { point } from '../core/kill-point.ts'
import { identityAsSpelled } from '../core/persons/identity.ts'
import { mentionOf } from '../core/persons/mentions.ts'
import { readingsOf } from '../core/persons/veiled.ts'
import { foldText } from '../core/values/fold-text.ts'
import {
  markErased,
  markErasing,
  type PublishedRow,
  publishedNames,
  publishedRows,
} from '../report/published-reports.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { notErased } from './report-faults.ts'
import {
  type ErasedReports,
  isOfAnother,
  type LookedAt,
  lookAt,
  type ReportSearch,
  readClaims,
  remove,
} from './report-file.ts'
import { eraseLeftovers } from './report-leftovers.ts'

export interface EraseReportsDeps {
  /** A caller that holds a lease gives a `transaction` that checks it. */
  warehouse: Pick<Warehouse, 'db' | 'transaction'>
  signal: AbortSignal
}

export interface EraseReportsOptions {
  account: string
  /** The IDs, addresses and names of the person. None may be so short that every text contains it. */
  needles: readonly string[]
  /** Those of them that name the person inside a longer text too, as in the search of all tables. */
  within?: readonly string[]
  /** Changes nothing, and counts what would be removed. */
  dryRun: boolean
  /** The default folder of reports. It is also searched for files that a killed process left. */
  directory?: string
  /** Names of reports that may have left files there without ever being recorded. */
  reports?: readonly string[]
}

/**
 * Removes the account's published files that name a person, and nulls the parameters that do. The files of
 * one publication are removed together, since they show the same data; a file that was published again later
 * is judged by its present content. Removals are recorded first, so the next call completes an interrupted
 * one, and a call after that finds nothing. Another account's files stay, even at the same path.
 *
 * Copies outside of these folders are not found. A report that is being made now may appear later: the caller
 * erases the data first, and calls again when no earlier publication can be running.
 *
 * Tries all files, and throws at the end if one could not be read or removed.
 */
export async function eraseReports(
  { warehouse, signal }: EraseReportsDeps,
  options: EraseReportsOptions,
): Promise<ErasedReports> {
  const { account, needles, within = [], dryRun, directory, reports = [] } = options
  const erased: ErasedReports = { reports: 0, files: 0, bytes: 0, absent: 0, paths: [] }
  const looking: ReportSearch = {
    warehouse,
    signal,
    account,
    needles,
    named: namedIn(needles, within),
    dryRun,
    directory,
    erased,
    claims: new Map(),
    names: new Map(),
    gone: new Set(),
    folders: new Set(directory === undefined ? [] : [directory]),
    faults: new Map(),
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const lot = await publishedRows(warehouse.db, { account, after, limit: LOT })
    await readClaims(
      looking,
      lot.flatMap(({ files }) => files),
    )
    for (const row of lot) {
      signal.throwIfAborted()
      await eraseRow(looking, row)
    }
    after = lot.at(-1)?.id
  }
  const known = await publishedNames(warehouse.db, account)
  await eraseLeftovers(looking, new Set([...known, ...reports, ...EXPORT_NAMES]))
  if (looking.faults.size > 0) throw notErased(account, looking.faults)
  return erased
}

async function eraseRow(looking: ReportSearch, row: PublishedRow): Promise<void> {
  const looked: LookedAt[] = []
  for (const file of row.files) {
    const at = await lookAt(looking, file)
    // A file that an earlier erasure removed is skipped: what lies there now belongs to another publication.
    if (file.erased !== true || at.state === 'gone') looked.push(at)
  }
  const { params, named } = withoutPerson(row.params, looking.named)
  const hit = ({ state, file }: LookedAt): boolean =>
    state === 'names' || state === 'gone' || file.erasing === true
  if (!named && !looked.some(hit)) return
  looking.erased.reports++
  const due: LookedAt[] = []
  for (const one of looked) if (!(await isOfAnother(looking, row.id, one))) due.push(one)
  const { warehouse, claims, account, dryRun } = looking
  if (!dryRun) {
    const paths = pathsOf(due)
    await warehouse.transaction((tx) => markErasing(tx, { id: row.id, paths }))
    await point('erase:report')
  }
  const removed: LookedAt[] = []
  for (const one of due) if (await remove(looking, one)) removed.push(one)
  if (dryRun) return
  await point('erase:report')
  const kept = new Set(due.filter((one) => !removed.includes(one)))
  const gone = pathsOf(looked.filter((one) => !kept.has(one)))
  const others = pathsOf(removed).flatMap((path) => claims.get(path) ?? [])
  const settled = {
    id: row.id,
    params,
    gone,
    removed: pathsOf(removed),
    others: others.filter((other) => other.account === account).map(({ id }) => id),
  }
  await warehouse.transaction((tx) => markErased(tx, settled))
}

const pathsOf = (looked: readonly LookedAt[]): string[] => looked.map(({ file }) => file.path)

/** Replaces each value that names the person with null, and tells whether there was one. */
function withoutPerson(
  value: unknown,
  isNamed: (text: string) => boolean,
): { params: unknown; named: boolean } {
  if (typeof value === 'string' || typeof value === 'number') {
    const named = isNamed(String(value))
    return { params: named ? null : value, named }
  }
  if (typeof value !== 'object' || value === null) return { params: value, named: false }
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, withoutPerson(inner, isNamed)] as const,
  )
  const named = entries.some(([, inner]) => inner.named)
  if (Array.isArray(value)) return { params: entries.map(([, { params }]) => params), named }
  const params = Object.fromEntries(entries.map(([name, inner]) => [name, inner.params]))
  return { params, named }
}

/** Whether a value is one of the texts, or `within` occurs in it as in the search of all tables. */
function namedIn(texts: readonly string[], within: readonly string[]): (text: string) => boolean {
  const whole = new Set(texts.map(foldText))
  const inside = within.map(identityAsSpelled)
  return (text) =>
    readingsOf(text).some((said) => whole.has(foldText(said.trim()))) ||
    mentionOf(text, inside) === 'alone'
}

const LOT = 200
/** They stand in the file names of bundles and of exported tables in place of a report's name. */
const EXPORT_NAMES = ['audit', 'table']
