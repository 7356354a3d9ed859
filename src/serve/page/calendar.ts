import { html } from 'hono/html'
import { count, counted } from '../../core/values/quantities.ts'
import type { CoverageDays, DayState, StreamDays } from '../health/coverage-days.ts'
import { breakable, type Html } from './layout.ts'
import { table } from './table.ts'

/** The coverage of each stream by day, as a strip and in words. */
export function calendar(
  { days, streams }: CoverageDays,
  rows: ReadonlyMap<string, number>,
): readonly Html[] {
  const parts = [
    ['records', 'Read by time: each day stands for what happened on it'],
    ['reads', 'Read as a whole: each day stands for the runs that began on it'],
  ] as const
  const shown = parts.map(([of, title]) => {
    const own = streams.filter((one) => one.of === of)
    return own.length === 0
      ? html``
      : table(
          title,
          [
            { title: 'table' },
            { title: `${days[0]} to ${days.at(-1)}` },
            { title: 'complete' },
            { title: 'rows', numeric: true },
          ],
          own.map((stream) => [
            breakable(stream.stream),
            strip(stream, days),
            summary(stream, days),
            rows.get(stream.stream) ?? '',
          ]),
        )
  })
  return [legend(), ...shown]
}

function legend(): Html {
  const key = (
    state: DayState,
  ): Html => html`<li><svg class="key" viewBox="0 0 10 20" preserveAspectRatio="none"
aria-hidden="true">
${bar(state, 0, 1)}</svg>${state}</li>`
  return html`<ul class="legend">${(['complete', 'incomplete', 'not read'] as const).map(key)}</ul>`
}

interface Range {
  state: DayState
  from: number
  days: number
}

function rangesOf(states: readonly DayState[]): Range[] {
  const ranges: Range[] = []
  for (const [from, state] of states.entries()) {
    const last = ranges.at(-1)
    if (last?.state === state) last.days++
    else ranges.push({ state, from, days: 1 })
  }
  return ranges
}

function strip({ stream, states }: StreamDays, days: readonly string[]): Html {
  const ranges = rangesOf(states)
  const said = ranges.map((range) => `${rangeText(range, days)} ${range.state}`).join('; ')
  return html`<svg class="strip" viewBox="0 0 ${states.length * DAY_WIDTH} 20"
preserveAspectRatio="none" role="img" aria-label="${stream}: ${said}">${ranges.map((range) => {
    const title = html`<title>${rangeText(range, days)}: ${range.state}</title>`
    return html`<g>${title}${bar(range.state, range.from, range.days)}</g>`
  })}${monthsOf(days)}</svg>`
}

/** Vertical lines before the first day of each month. */
function monthsOf(days: readonly string[]): Html {
  const lines = days.flatMap((day, at) =>
    at > 0 && day.endsWith('-01') ? [`M${at * DAY_WIDTH} 0v20`] : [],
  )
  return html`<path class="month" d="${lines.join('')}"/>`
}

/** States differ in height too, for readers who are color-blind. */
function bar(state: DayState, from: number, days: number): Html {
  const [y, height] = BARS[state]
  const [x, width] = [from * DAY_WIDTH, days * DAY_WIDTH - (days > 1 ? 0 : 1)]
  return html`<rect class="${state.replace(' ', '-')}" x="${x}" y="${y}"
width="${width}" height="${height}"/>`
}

function summary({ states }: StreamDays, days: readonly string[]): Html {
  const complete = states.filter((state) => state === 'complete').length
  const gaps = rangesOf(states).filter(({ state }) => state === 'incomplete')
  const shown = gaps.slice(-MOST_GAPS)
  const earlier = gaps.length - shown.length
  return html`${counted(complete, 'day')}${gaps.length === 0 ? '' : '; incomplete: '}${
    earlier > 0 ? `${count(earlier)} more, ` : ''
  }${shown.map((range, at) => html`${at === 0 ? '' : ', '}${rangeHtml(range, days)}`)}`
}

/** Dates do not wrap. */
function rangeHtml({ from, days: length }: Range, days: readonly string[]): Html {
  const [first = '', last = ''] = [days[from], days[from + length - 1]]
  return html`<time>${first}</time>${length === 1 ? '' : html` to <time>${last}</time>`}`
}

function rangeText({ from, days: length }: Range, days: readonly string[]): string {
  const [first = '', last = ''] = [days[from], days[from + length - 1]]
  return length === 1 ? first : `${first} to ${last}`
}

const DAY_WIDTH = 10
const BARS: Readonly<Record<DayState, readonly [y: number, height: number]>> = {
  complete: [0, 20],
  incomplete: [8, 12],
  'not read': [17, 3],
}
const MOST_GAPS = 3
