import type { Block, Note, Section } from '../../src/core/define/report.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { comparedFigures, note } from '../shared/blocks.ts'
import { type ActivityCounts, activityBars, barsOf } from '../whiteboard-audit/activities.ts'
import { asFarAsRead, incompleteNotes, nothingRead } from '../whiteboard-audit/as-far-as-read.ts'
import type { Days } from '../whiteboard-audit/days.ts'
import type { Timeline, Totals } from '../whiteboard-audit/facts.ts'
import type { AuditSource } from '../whiteboard-audit/source.ts'
import { lossNotes } from '../whiteboard-audit/summary.ts'
import { activityTimeline, sessionTimeline } from '../whiteboard-audit/timeline.ts'

interface Facts {
  now: Totals
  before: Totals | undefined
  timeline: Timeline
  counts: ActivityCounts
  days: readonly Days[]
}

/** Shows one person's period on one page. */
export function summarySection(source: AuditSource, facts: Facts): Section {
  const { now, before, timeline, counts, days } = facts
  const blocks: Block[] = [...incompleteNotes(source, days), story(source, now), ...lossNotes(now)]
  const some = now.sessions + now.activities > 0
  if (!some && nothingRead(source)) return { title: 'Summary', blocks }
  blocks.push({
    kind: 'figures',
    title: 'Key figures',
    beforeLabel: source.before.label,
    figures: comparedFigures(FIGURES, now, before),
  })
  if (some)
    blocks.push(
      { ...activityTimeline(source, timeline), width: 'half' },
      sessionTimeline(source, timeline),
      activityBars('Activities by type', barsOf(counts.byType)),
      activityBars('Busiest boards (activities)', barsOf(counts.byBoard).slice(0, 8)),
    )
  return { title: 'Summary', blocks }
}

function story(source: AuditSource, now: Totals): Note {
  const { person, params, period } = source
  const who = person?.name ?? params.user ?? ''
  if (now.sessions + now.activities === 0) {
    const none = `There are no sessions and no activities of ${who} in ${period.label}.`
    const text =
      `${asFarAsRead(source, none)} ` +
      'People from outside the account cannot be found: they have neither an ID nor an address.'
    return note('warning', text)
  }
  const text =
    `${who} was in ${counted(now.sessions, 'session')} on ${counted(now.boards, 'board')} in ` +
    `${period.label}, with ${counted(now.activities, 'activity', 'activities')}.`
  return note('plain', text)
}

const FIGURES = [
  { name: 'sessions', label: 'Sessions' },
  { name: 'boards', label: 'Boards' },
  { name: 'seconds', label: 'Time present (h:mm:ss)', format: 'seconds' },
  { name: 'open_ends', label: 'Stays without an end' },
  { name: 'activities', label: 'Activities' },
  { name: 'stored', label: 'Files stored' },
  { name: 'pending', label: 'Files pending' },
  { name: 'expired', label: 'Files lost to expiry', better: 'lower' },
] as const
