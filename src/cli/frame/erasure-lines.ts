import { bytesText, count } from '../../core/values/quantities.ts'
import type { ErasedRequest } from '../../erasure/erase-requests.ts'
import { keptCount, type Outcome } from '../../erasure/erasing.ts'
import type { ErasureRequest } from '../../erasure/sql/erasure-requests.ts'
import type { Output } from './output.ts'
import { heading, type TableRow } from './table.ts'

/** Prints the result of one erasure in numbers, without a name. */
export function printErased(output: Output, erased: ErasedRequest, dryRun: boolean): void {
  const { request, source, known, outcome } = erased
  const who =
    request === undefined ? 'One person' : `Request ${request} (${WORDS[source] ?? source})`
  const unknown = !known && source === 'command'
  const done = isLeft(outcome) ? 'erased in part' : 'erased'
  output.line(`${who}: ${unknown ? 'nobody found' : dryRun ? 'what would be erased' : done}`)
  const rows = rowsOf(outcome)
  if (rows.length === 0) output.line('  nothing: no table, file or report names them')
  else output.table([['  of', 'deleted', 'stays without them'], ...rows])
  for (const text of keptLines(outcome, dryRun)) output.line(`  ${text}`)
  if (!unknown) return
  output.note(`${who}: no data of the account names them. If that is unexpected, ${REMEDY}`)
  if (!dryRun) output.note('The next sync will not store them either; undo that with --readmit.')
}

/** The remedy for a mistyped ID. The intended person's data was not changed. */
const REMEDY = 'check the ID or the address.'

function rowsOf({ tables, ledgers, files, reports }: Outcome): TableRow[] {
  return [
    ...Object.entries(tables)
      .filter(([, { deleted, redacted }]) => deleted + redacted > 0)
      .map(([name, { deleted, redacted }]): TableRow => [`  ${name}`, deleted, redacted]),
    ...Object.entries(ledgers)
      .filter(([, rows]) => rows > 0)
      .map(([name, rows]): TableRow => [`  callsheet.${name}`, rows, 0]),
    ...(files.removed > 0
      ? [[`  archived files (${bytesText(files.bytes)})`, files.removed, 0]]
      : []),
    ...(reports.files > 0 ? [['  report files', reports.files, 0]] : []),
    ...(reports.reports > 0 ? [['  published reports', reports.reports, reports.anew]] : []),
  ]
}

function keptLines(outcome: Outcome, dryRun: boolean): string[] {
  const { kept, leftBehind, uncertain, another, reports } = outcome
  return [
    ...Object.entries(kept.held).map(
      ([hold, files]) => `Held by ${hold}: ${count(files)} files and their records stay.`,
    ),
    ...Object.entries(kept.shared).map(
      ([hold, contents]) =>
        `Held by ${hold}: the content of ${count(contents)} files that other held files share; ` +
        'archive prune removes it when the hold has ended.',
    ),
    ...(kept.locked > 0
      ? [
          `Locked by the store: ${count(kept.locked)} contents; archive prune removes them when ` +
            'the lock has ended.',
        ]
      : []),
    ...Object.entries(leftBehind).map(
      ([table, rows]) =>
        `${dryRun ? 'Would remain' : 'Still named'} in ${count(rows)} rows of ${table}.`,
    ),
    ...Object.entries(uncertain).map(
      ([column, rows]) =>
        `Left unchanged: in ${count(rows)} rows of ${column} the ID or address is next to letters or ` +
        'signs that may make it part of a longer word. Check these rows.',
    ),
    ...(Object.keys(uncertain).length > 0 ? [UNDECIDED] : []),
    ...doubtLines('May still name them', reports.undecided),
    ...doubtLines('Marked as handled', reports.settled),
    ...(reports.undecided.length > 0 && !dryRun ? [LOOK_AFTER] : []),
    ...Object.entries(another).map(
      ([column, rows]) =>
        `Left unchanged, as you decided: in ${count(rows)} rows of ${column} the ID or address is part of ` +
        "a longer word that is another person's.",
    ),
  ]
}

function doubtLines(what: string, doubts: Outcome['reports']['undecided']): string[] {
  const lines = doubts.slice(0, MOST_FILES).map(({ file, why }) => `${what}: ${file}: ${why}.`)
  const more = doubts.length - lines.length
  return more > 0 ? [...lines, `And ${count(more)} more; --json lists them all.`] : lines
}

const LOOK_AFTER =
  'Correct or delete these files and the copies that were sent, then run callsheet erase --due ' +
  '--settled --yes.'
const MOST_FILES = 20
const UNDECIDED =
  "If a longer word is another person's, write it to a file and pass that with --others. If it is this " +
  'person, erase the longer word with --from as well.'

function isLeft({ kept, leftBehind, uncertain, reports }: Outcome): boolean {
  const left = Object.keys(leftBehind).length + Object.keys(uncertain).length
  return keptCount(kept) + left + reports.undecided.length > 0
}

/**
 * Returns the exit code. 0: nothing remains. 4: only data under a hold or lock remains. 1: other data
 * remains, or may remain.
 */
export function erasureExitCode(done: readonly ErasedRequest[]): number {
  const codes = done.map(({ outcome: { kept, leftBehind, uncertain, reports } }) => {
    const left = Object.entries(leftBehind)
    if (Object.keys(uncertain).length + reports.undecided.length > 0) return 1
    if (left.some(([table, rows]) => rows > (kept.records[table] ?? 0))) return 1
    return keptCount(kept) > 0 ? 4 : 0
  })
  return codes.includes(1) ? 1 : Math.max(0, ...codes)
}

export const REQUEST_HEADING = heading(
  ['request', 'asked by', 'asked', 'due', 'state', 'done', 'left'],
  { least: { 'asked by': 12, state: 8, left: 20 }, hide: ['asked', 'done'] },
)

export function requestRow(request: ErasureRequest): TableRow {
  const { id, source, requestedAt, dueAt, state, endedAt, leftBehind, erased } = request
  const { another = {} } = (erased ?? {}) as Partial<Outcome>
  const left = [
    ...Object.keys(leftBehind ?? {}),
    ...Object.keys(another).map((place) => `${place} (another's)`),
  ]
  return [
    id,
    WORDS[source] ?? source,
    requestedAt.slice(0, 10),
    dueAt.slice(0, 10),
    state.replace('_', ' '),
    endedAt?.slice(0, 10) ?? '',
    left.length > MOST_PLACES ? `${count(left.length)} places` : left.join(', '),
  ]
}

const MOST_PLACES = 3
const WORDS: Readonly<Record<string, string>> = {
  app_deauthorized: 'the person removed the app',
  command: 'by command',
  restored: 'before a backup was restored',
}
