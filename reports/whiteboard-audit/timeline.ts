import type { ChartBlock } from '../../src/core/report.ts'
import type { Timeline } from './facts.ts'

/** What was done, day by day, with what people from outside did. */
export function activityTimeline(timeline: Timeline): ChartBlock {
  return { ...apart(timeline, 'Activities', timeline.activities), width: 'full' }
}

export function participantTimeline(timeline: Timeline): ChartBlock {
  return { ...apart(timeline, 'Participants', timeline.people), width: 'half' }
}

export function sessionTimeline(timeline: Timeline): ChartBlock {
  const values = valuesOf(timeline, timeline.sessions)
  return {
    kind: 'chart',
    title: `Sessions by ${timeline.step}`,
    width: 'half',
    chart: {
      type: 'bar',
      valueFormat: 'integer',
      categories: categoriesOf(timeline),
      series: [{ name: 'Sessions', tone: 'accent', values }],
    },
  }
}

function apart(timeline: Timeline, what: string, counts: Timeline['activities']): ChartBlock {
  return {
    kind: 'chart',
    title: `${what} by ${timeline.step}`,
    chart: {
      type: 'stacked-bar',
      valueFormat: 'integer',
      categories: categoriesOf(timeline),
      series: [
        { name: 'from the account', tone: 'accent', values: valuesOf(timeline, counts.inside) },
        { name: 'from outside', tone: 'poor', values: valuesOf(timeline, counts.outside) },
      ],
    },
  }
}

/** Of one month the day alone, else month and day. */
function categoriesOf({ step, points }: Timeline): string[] {
  const oneMonth = new Set(points.map((point) => point.slice(0, 7))).size === 1
  return points.map((point) =>
    oneMonth && step === 'day' ? String(Number(point.slice(8))) : point.slice(5),
  )
}

function valuesOf({ points }: Timeline, counts: ReadonlyMap<string, number>): number[] {
  return points.map((point) => counts.get(point) ?? 0)
}
