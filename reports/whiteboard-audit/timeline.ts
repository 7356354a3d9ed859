import type { ChartBlock } from '../../src/core/define/report.ts'
import { chart } from '../shared/blocks.ts'
import { mondayOf } from '../shared/calendar.ts'
import { notReadDays } from '../shared/read-days.ts'
import type { Timeline } from './facts.ts'
import type { AuditSource } from './source.ts'

/** The days of the period, and those that were not completely read. */
type Reading = Pick<AuditSource, 'days' | 'lacking'>

/** Charts activities by day or week, those of people from outside apart. */
export function activityTimeline(reading: Reading, timeline: Timeline): ChartBlock {
  return { ...apart(reading, timeline, 'activities'), width: 'full' }
}

export function participantTimeline(reading: Reading, timeline: Timeline): ChartBlock {
  return { ...apart(reading, timeline, 'people'), width: 'half' }
}

export function sessionTimeline(reading: Reading, timeline: Timeline): ChartBlock {
  const values = valuesOf(reading, timeline, timeline.sessions)
  const sessions = chart(
    titleOf(reading, timeline, 'Sessions'),
    {
      type: 'bar',
      valueFormat: 'integer',
      categories: categoriesOf(timeline),
      series: [{ name: 'Sessions', tone: 'accent', values }],
    },
    'half',
  )
  return { ...sessions, file: 'Sessions over time' }
}

function apart(reading: Reading, timeline: Timeline, what: keyof typeof NAMES): ChartBlock {
  const values = (whose: 'inside' | 'outside') => valuesOf(reading, timeline, timeline[what][whose])
  const stacked = chart(titleOf(reading, timeline, NAMES[what]), {
    type: 'stacked-bar',
    valueFormat: 'integer',
    categories: categoriesOf(timeline),
    series: [
      { name: 'from the account', tone: 'accent', values: values('inside') },
      { name: 'from outside', tone: 'poor', values: values('outside') },
    ],
  })
  return { ...stacked, file: `${NAMES[what]} over time` }
}

const NAMES = { activities: 'Activities', people: 'Participants' } as const

function titleOf({ lacking }: Reading, { step }: Timeline, what: string): string {
  const unread = notReadDays(lacking)
  return `${what} by ${step}${unread === '' ? '' : `, not read: ${unread}`}`
}

/** Returns day labels: only the day within one month, otherwise month and day. */
function categoriesOf({ step, points }: Timeline): string[] {
  const oneMonth = new Set(points.map((point) => point.slice(0, 7))).size === 1
  return points.map((point) =>
    oneMonth && step === 'day' ? String(Number(point.slice(8))) : point.slice(5),
  )
}

/** Returns the counts. A point without a count has 0 if it was read, otherwise null. */
function valuesOf(
  { days, lacking }: Reading,
  { step, points }: Timeline,
  counts: ReadonlyMap<string, number>,
): (number | null)[] {
  const read = days.filter((day) => lacking.get(day) !== 'not read')
  const known = new Set(step === 'day' ? read : read.map(mondayOf))
  return points.map((point) => counts.get(point) ?? (known.has(point) ? 0 : null))
}
