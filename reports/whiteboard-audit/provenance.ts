import type { Block, Figures, Note, Section, Table } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { figures, note } from '../shared/blocks.ts'
import { tableColumns, tableOf } from '../shared/query.ts'
import type { Untimed } from './begun-sessions.ts'
import { type Days, LONGEST_DAYS } from './days.ts'
import type { Totals } from './facts.ts'
import { type Ledgers, ledgerMoment } from './ledgers.ts'
import { scoped } from './scope.ts'
import type { AuditSource } from './source.ts'
import { lossNotes } from './summary.ts'

interface ProvenanceFacts {
  days: readonly Days[]
  /** Notes about the filters and the sessions. */
  notes: readonly Note[]
  untimed: Untimed
  now: Totals
  ledgers: Ledgers
  /** Whether runs took place when due, the audit settings, and the decisions about stored data. */
  operation?: readonly Block[]
}

/** Shows which days are proven, what was lost, and which checkpoint covers the evidence. */
export function provenanceSection(
  source: AuditSource,
  { days, untimed, notes, now, ledgers, operation = [] }: ProvenanceFacts,
): Section {
  const blocks: Block[] = [
    ...dayNotes(days),
    ...untimedNotes(untimed),
    ...lossNotes(now),
    ...scopeNotes(source),
    ...notes,
    note('plain', `Sessions of more than ${LONGEST_DAYS} days are not searched for.`),
    daysTable(days),
    evidenceFigures(source, ledgers),
    ...operation,
  ]
  return { title: 'Provenance', provenance: true, blocks }
}

function dayNotes(days: readonly Days[]): Note[] {
  const total = sum(days)
  const of = (state: Days['state']) => days.filter((range) => range.state === state)
  const notes: Note[] = []
  const incomplete = of('incomplete')
  if (incomplete.length > 0)
    notes.push(
      note('bad', `${sum(incomplete)} of ${total} days are NOT complete: ${named(incomplete)}.`),
    )
  const unproven = of('not proven')
  if (unproven.length > 0)
    notes.push(
      note('warning', `${sum(unproven)} of ${total} days are not proven yet: ${named(unproven)}.`),
    )
  const complete = sum(of('complete'))
  if (complete > 0)
    notes.push(
      note(
        'good',
        complete === total
          ? `All ${total} days are proven complete.`
          : `${complete} of ${total} days are proven complete.`,
      ),
    )
  return notes
}

function untimedNotes({ sessions, activities }: Untimed): Note[] {
  if (sessions + activities === 0) return []
  const parts = [
    ...(sessions === 0 ? [] : [counted(sessions, 'session')]),
    ...(activities === 0
      ? []
      : [`${grouped(activities)} ${activities === 1 ? 'activity' : 'activities'}`]),
  ]
  const have = sessions + activities === 1 ? 'has' : 'have'
  const text =
    `${parts.join(' and ')} ${have} no time on record, so no sheet shows ` +
    `${sessions + activities === 1 ? 'it' : 'them'}.`
  return [note('warning', text)]
}

function sum(days: readonly Days[]): number {
  return days.reduce((total, { count }) => total + count, 0)
}

/** Lists the days by reason: `2026-10-16 to 2026-10-20, 2026-10-22 (why)`. */
function named(ranges: readonly Days[]): string {
  const reasons = [...Map.groupBy(ranges, ({ why }) => why)].slice(0, MOST_NAMED)
  const said = reasons.map(([why, same]) => {
    const shown = same.slice(0, MOST_NAMED).map(({ from, to }) => {
      return from === to ? from : `${from} to ${to}`
    })
    return `${shown.join(', ')}${same.length > MOST_NAMED ? ' and others' : ''} (${why})`
  })
  const whole = reasons.every(([, same]) => same.length <= MOST_NAMED)
  const all = whole && new Set(ranges.map(({ why }) => why)).size === reasons.length
  return said.join('; ') + (all ? '' : '; the table of days lists all')
}

function scopeNotes(source: AuditSource): Note[] {
  const { whiteboard, user } = source.params
  if (whiteboard === undefined && user === undefined) return []
  const text = 'the figures cover nothing else. The days are judged for the whole account.'
  return [note('plain', scoped(source, text))]
}

const DAY_COLUMNS = tableColumns([
  { name: 'from', title: 'From', format: 'date' },
  { name: 'to', title: 'To', format: 'date' },
  { name: 'count', title: 'Days', format: 'integer' },
  { name: 'state', title: 'State', format: 'text', tint: 'state' },
  { name: 'why', title: 'Reason', format: 'text' },
])

function daysTable(days: readonly Days[]): Table {
  return tableOf({ title: 'Days of the period', columns: DAY_COLUMNS }, days)
}

function evidenceFigures({ timeZone }: AuditSource, ledgers: Ledgers): Figures {
  const { checkpoint } = ledgers
  return figures('Evidence', {
    ...(checkpoint === undefined
      ? { 'Signed checkpoint': 'none yet' }
      : {
          'Signed checkpoint (size and root)': checkpoint.state,
          'Signed at': [zonedInstant(Date.parse(checkpoint.at), timeZone), 'instant'],
          'Key fingerprint': checkpoint.fingerprint,
        }),
    'Ledgers of files and incidents': ledgerMoment(ledgers, { timeZone }),
  })
}

const MOST_NAMED = 6
