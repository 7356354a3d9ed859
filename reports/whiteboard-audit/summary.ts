import type { Block, Figures, Note, Section } from '../../src/core/define/report.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { comparedFigures, note } from '../shared/blocks.ts'
import { type ActivityCounts, activityBars, barsOf } from './activities.ts'
import { asFarAsRead, incompleteNotes, nothingRead } from './as-far-as-read.ts'
import type { Days } from './days.ts'
import type { Timeline, Totals } from './facts.ts'
import { countable, scoped } from './scope.ts'
import type { AuditSource } from './source.ts'
import { activityTimeline, participantTimeline, sessionTimeline } from './timeline.ts'
import { type DetailedUnusual, unusualNote } from './unusual/section.ts'

export interface SummaryFacts {
  now: Totals
  before: Totals | undefined
  timeline: Timeline
  counts: ActivityCounts
  incidents: number
  days: readonly Days[]
  /** The unusual activity; undefined if it was not tested. */
  unusual: DetailedUnusual | undefined
  /** Notes about filters that match nothing. */
  unknown: readonly Note[]
}

/**
 * Shows the period on one page: what happened, who was there from outside, and whether the files are safe.
 */
export function summarySection(source: AuditSource, facts: SummaryFacts): Section {
  const { now, timeline, counts } = facts
  const some = now.sessions + now.activities > 0
  const notes = stories(source, facts)
  if (some && facts.unusual !== undefined) notes.push(unusualNote(source, facts.unusual))
  const blocks: Block[] = [...incompleteNotes(source, facts.days), ...worstFirst(notes)]
  if (!some && nothingRead(source)) return { title: 'Summary', blocks }
  const figures = (title: string, from: number, to?: number): Figures => ({
    kind: 'figures',
    title,
    beforeLabel: source.before.label,
    figures: comparedFigures(countable(source, FIGURES.slice(from, to)), now, facts.before),
  })
  blocks.push(figures('Key figures', 0, KEY_FIGURES))
  if (some)
    blocks.push(
      activityTimeline(source, timeline),
      sessionTimeline(source, timeline),
      participantTimeline(source, timeline),
      activityBars('Activities by type', barsOf(counts.byType)),
      activityBars('Busiest boards (activities)', barsOf(counts.byBoard).slice(0, 8)),
    )
  blocks.push(figures('More figures', KEY_FIGURES))
  return { title: 'Summary', blocks }
}

function worstFirst(notes: readonly Note[]): Note[] {
  const rank = ({ tone }: Note): number => (tone === 'bad' ? 0 : tone === 'warning' ? 1 : 2)
  return notes.toSorted((a, b) => rank(a) - rank(b))
}

/** Returns notes on lost and expiring files, incidents and people from outside. */
function stories(source: AuditSource, facts: SummaryFacts): Note[] {
  const { now, incidents, unknown, days } = facts
  const { label } = source.period
  const whole = incompleteNotes(source, days).length === 0
  const told = (text: string) => scoped(source, asFarAsRead(source, text, whole))
  if (now.sessions + now.activities === 0)
    return [...unknown, note('warning', told(`There are no archived sessions in ${label}.`))]
  const notes = [...lossNotes(now), ...incidentNotes(incidents)]
  if (notes.length === 0)
    notes.push(
      note(
        whole ? 'good' : 'plain',
        told(`No files of ${label} were lost, and no incidents are recorded.`),
      ),
    )
  if (now.due_soon > 0)
    notes.push(
      note(
        'warning',
        `${counted(now.due_soon, 'pending file expires', 'pending files expire')} within 7 days. ` +
          'Run "callsheet sync whiteboard-archives" before that.',
      ),
    )
  // People from outside have no ID, so a report with a person filter cannot include them.
  if (source.person !== undefined) return notes
  const outside =
    now.outsiders === 0
      ? asFarAsRead(source, 'Nobody from outside the account took part.', whole)
      : `${grouped(now.outsiders)} ${now.outsiders === 1 ? 'person' : 'people'} from outside the ` +
        `account took part, in ${grouped(now.sessions_with_outsiders)} of ` +
        `${grouped(now.sessions)} sessions.`
  return [...notes, note('plain', scoped(source, outside))]
}

/** Returns a note about lost files, for the provenance too; nothing if none was lost. */
export function lossNotes({ expired, lapsed, overdue, missing }: Totals): Note[] {
  const lost = [
    ...(lapsed === 0 ? [] : [`all files of ${neverListed(lapsed)}`]),
    ...(expired === 0 ? [] : [`${counted(expired, 'file')} expired before being stored`]),
    ...(overdue === 0 ? [] : [`${counted(overdue, 'pending file')} past the deadline`]),
    ...(missing === 0 ? [] : [`${counted(missing, 'file')} that the service no longer had`]),
  ]
  if (lost.length === 0) return []
  return [note('bad', `Lost files: ${lost.join('; ')}. See the sheet Files.`)]
}

function neverListed(sessions: number): string {
  return sessions === 1
    ? '1 session that expired before its activities were read'
    : `${grouped(sessions)} sessions that expired before their activities were read`
}

function incidentNotes(count: number): Note[] {
  if (count === 0) return []
  const text =
    `${grouped(count)} ${count === 1 ? 'incident is' : 'incidents are'} recorded: see the sheet ` +
    'Incidents.'
  return [note('bad', text)]
}

/** The number of figures at the top. */
const KEY_FIGURES = 6

const FIGURES = [
  { name: 'sessions', label: 'Sessions' },
  { name: 'boards', label: 'Boards in use' },
  { name: 'people', label: 'People' },
  { name: 'outsiders', label: 'People from outside' },
  { name: 'activities', label: 'Activities' },
  { name: 'outside_activities', label: 'Activities from outside' },
  { name: 'seconds', label: 'Time present (h:mm:ss)', format: 'seconds' },
  { name: 'open_ends', label: 'Stays without an end' },
  { name: 'stored', label: 'Files stored' },
  { name: 'stored_bytes', label: 'Bytes stored' },
  { name: 'pending', label: 'Files pending' },
  { name: 'expired', label: 'Files lost to expiry', better: 'lower' },
  { name: 'missing', label: 'Files missing', better: 'lower' },
  { name: 'unoffered', label: 'Activities without a file' },
  { name: 'removed', label: 'Files removed by a rule' },
] as const
