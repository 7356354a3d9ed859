import type { Block, Note, Section } from '../../../src/core/define/report.ts'
import { count, counted } from '../../../src/core/values/quantities.ts'
import { note } from '../../shared/blocks.ts'
import { nothingRead } from '../as-far-as-read.ts'
import type { BoardsSource } from '../board-rows.ts'
import type { AuditSource } from '../source.ts'
import { boardsGoneNote, goneText } from './boards-gone.ts'
import type { Unusual } from './judge.ts'
import { newcomersTable } from './newcomers-table.ts'
import { nightText } from './night.ts'
import type { UnusualSettings } from './settings.ts'
import { type DetailedTest, kindsTable, testsTable } from './tables.ts'
import { readDetails, tracesTable } from './traces.ts'
import { findingText, KIND_WORDS, ratesOf } from './words.ts'

const TITLE = 'Unusual activity'

/** Unusual activity, with the details of its findings and of the tests that came close. */
export interface DetailedUnusual extends Unusual {
  detailed: readonly DetailedTest[]
}

/** Reads the details of findings and of tests that came close; undefined if nothing was tested. */
export async function detailUnusual(
  source: AuditSource,
  unusual: Unusual | undefined,
): Promise<DetailedUnusual | undefined> {
  if (unusual === undefined) return undefined
  const found = unusual.tests.filter((test) => test.found).slice(0, MOST_TOLD)
  const tests = [...found, ...unusual.tests.filter((test) => !test.found).slice(0, MOST_NEAR)]
  const details = await readDetails({ source, unusual, tests })
  const detailed = tests.map((test, at) => ({ test, detail: details.get(at + 1) }))
  return { ...unusual, detailed }
}

/** Shows unusual days with their base, and data that cannot be tested. */
export function unusualSection(
  source: BoardsSource,
  unusual: DetailedUnusual | undefined,
  settings: UnusualSettings,
): Section {
  if (unusual === undefined) return { title: TITLE, blocks: [unusualNote(source, unusual)] }
  const { detailed } = unusual
  const found = detailed.flatMap(({ test }) => (test.found ? [test] : []))
  const blocks: Block[] = [
    ...(found.length === 0 ? [unusualNote(source, unusual)] : sentences(source, unusual)),
    ...untoldNotes(unusual),
    boardsGoneNote(source, unusual.boardsGone, unusual.base),
    note('plain', methodOf(unusual, settings)),
    testsTable(detailed),
    kindsTable(unusual),
    tracesTable({ source, unusual, tests: found }),
    note('plain', NEWCOMERS),
    newcomersTable(source, unusual),
  ]
  return { title: TITLE, blocks }
}

/** Describes the findings in sentences, the most certain first. */
function sentences(source: AuditSource, unusual: DetailedUnusual): Note[] {
  const found = unusual.detailed.filter(({ test }) => test.found)
  const all = unusual.tests.filter((test) => test.found).length
  const more = all - MOST_SENTENCES
  return [
    ...found.slice(0, MOST_SENTENCES).map((one) => note('bad', findingText(source, unusual, one))),
    ...(more > 0 ? [note('bad', `There are ${count(more)} more findings${inTable(all)}.`)] : []),
  ]
}

function inTable(all: number): string {
  return all > MOST_TOLD
    ? `; the table lists the ${MOST_TOLD} most certain of all`
    : ' in the table'
}

/** Returns the line for the summary: who did what, and when. */
export function unusualNote(source: AuditSource, unusual: DetailedUnusual | undefined): Note {
  if (unusual === undefined)
    return note(
      'plain',
      'Unusual activity is tested only in a report on the whole account, without --whiteboard ' +
        'and --user.',
    )
  const { label } = source.period
  if (nothingRead(source))
    return note('warning', `Nothing of ${label} was read, so unusual activity could not be tested.`)
  const found = unusual.tests.filter((test) => test.found).length
  if (found > 0) {
    const first = unusual.detailed.slice(0, Math.min(found, MOST_IN_SUMMARY))
    const said = first.map(inShort)
    const more = found - first.length
    const rest = more > 0 ? `; and ${count(more)} more` : ''
    const text = `Unusual activity in ${label}: ${said.join('; ')}${rest}. Ask about these days.`
    return { ...note('bad', text), link: TITLE }
  }
  const tests = counted(unusual.testCount, 'test')
  const gone = unusual.boardsGone
  if (unusual.whole && gone !== undefined) {
    const none = `No unusual activity was found in ${label} (${tests}).`
    if (gone.now === 0) return note('good', none)
    return note('plain', `${none} ${goneText(gone)} deleted; the service does not report by whom.`)
  }
  return note(
    'plain',
    unusual.testCount === 0
      ? `Unusual activity in ${label} could not be tested: see the sheet ${TITLE}.`
      : `As far as it could be tested, no unusual activity was found in ${label} (${tests}; see ` +
          `the sheet ${TITLE}).`,
  )
}

function inShort({ test, detail }: DetailedTest): string {
  const what = `${count(ratesOf(test).count)} ${KIND_WORDS[test.kind].counted} on ${test.day}`
  return test.kind === 'outsiders' ? what : `${detail?.name ?? test.person ?? ''}, ${what}`
}

/** Notes missing data, so that a report with missing data never says "nothing unusual". */
function untoldNotes(unusual: Unusual): Note[] {
  const { base, kinds, proven } = unusual
  const notes = kinds
    .filter(({ untold }) => untold !== undefined)
    .map(({ kind, untold }) =>
      note('warning', `Not tested: ${KIND_WORDS[kind].title}. Reason: ${untold}.`),
    )
  if (base.unread.length > 0)
    notes.push(
      note(
        'warning',
        `${base.unread.length} of the ${base.days.length} days before the period were not read ` +
          'completely and are left out. People from outside who were there on those days may be ' +
          'reported as new.',
      ),
    )
  else if (!base.proven)
    notes.push(
      note(
        'warning',
        'Not all days before the period are proven complete, so the usual rates may be too low.',
      ),
    )
  if (!proven)
    notes.push(
      note(
        'warning',
        'Not all days of the period are proven complete, so unusual activity may be missing: ' +
          'see the sheet Provenance.',
      ),
    )
  return notes
}

function methodOf({ base, night, testCount }: Unusual, { nightHours }: UnusualSettings): string {
  const hours =
    night === undefined
      ? ''
      : ` Night is ${nightText(night)}${nightHours === null ? ', when the account is quiet' : ''}.`
  return (
    `Each day of each person in the period is compared with the ${base.days.length} days ` +
    `before (${base.period.label}): with the person’s own rate or the account’s rate, ` +
    'whichever is higher. A finding must exceed all earlier days of the person, and by so ' +
    'much that at most ' +
    `5 % of the findings are expected to be chance over all ${count(testCount)} tests of this ` +
    'report (negative binomial distribution; how much events come in bursts is measured by ' +
    'day). A deletion is an object that an activity deletes, or a deleting activity that names ' +
    `no object.${hours} People from outside are new if nobody of that name was there in the ` +
    `${base.acquaintance} days before. Unusual does not mean wrong.`
  )
}

const NEWCOMERS =
  'The service gives people from outside neither an ID nor an address, and does not report who ' +
  'invited them. The owner and the sharing of a board are as of this report, not of the visit.'

/** The maximum number of findings in the table. */
const MOST_TOLD = 500
/** The maximum number of findings described in sentences. The table has more. */
const MOST_SENTENCES = 20
const MOST_IN_SUMMARY = 4
/** The number of near-findings shown. */
const MOST_NEAR = 20
