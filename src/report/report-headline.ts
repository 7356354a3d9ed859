import type { Block, Section } from '../core/define/report.ts'
import { zonedInstant } from '../core/time/zone.ts'
import { formatCell, isNumeric } from './files/format-cell.ts'
import type { Prepared } from './prepare-report.ts'
import { isWhollyCovered, verdictOf } from './report-verdict.ts'

/** A report's summary for a message, so that its reader knows whether to open it. It names no person. */
export interface ReportHeadline {
  title: string
  /** Its period, or the day of its moment. */
  period: string
  /** Its first figures, as sentences. */
  figures: readonly string[]
  /** Why it is incomplete; empty if it is complete. */
  lacks: readonly string[]
}

export function headlineOf(prepared: Prepared): ReportHeadline {
  const { document, coverage, periods, timeZone, open } = prepared
  const { title, asOfMs, sections } = document
  const verdict = verdictOf({ coverage, periods, timeZone, asOfMs })
  return {
    title,
    period: periods?.period.label ?? dayText(zonedInstant(asOfMs, timeZone)),
    figures: figuresOf(sections[0]),
    lacks: [...(isWhollyCovered(coverage) ? [] : [verdict.text]), ...open],
  }
}

/** Uses numbers only, unless a sentence is declared as a headline: other text may name somebody. */
function figuresOf(first: Section | undefined): string[] {
  const blocks: readonly Block[] = first?.blocks ?? []
  const said = blocks.flatMap((block) =>
    block.kind === 'note' && block.headline === true ? [block.text] : [],
  )
  if (said.length > 0) return said
  const figures = blocks.flatMap((block) => (block.kind === 'figures' ? block.figures : []))
  return figures
    .filter(({ value, format }) => typeof value === 'number' && isNumeric(format))
    .slice(0, MOST_FIGURES)
    .map(({ label, value, format }) => {
      const text = formatCell(value, format).replaceAll('\u00a0', ' ')
      return `${label}: ${text}.`
    })
}

function dayText(instant: string): string {
  const day = new Date(`${instant.slice(0, 10)}T00:00:00Z`)
  return new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(day)
}

const MOST_FIGURES = 4
