import { displayWidth } from '../xlsx/text-width.ts'
import { escapeHtml } from './escape-html.ts'

/** The labels under a chart: horizontal on up to three lines, or all slanted if one of them does not fit. */
export interface LabelPlan {
  /** How many categories share one visible label. */
  every: number
  slanted: boolean
  /** The width of a line, in digits. */
  room: number
  /** The height that the chart reserves for the labels. */
  height: number
}

export function planLabels(
  categories: readonly string[],
  { step, most }: { step: number; most: number },
): LabelPlan {
  const dates = categories.every((category) => /^[\d-]+$/.test(category))
  const broad = dates ? (Math.max(...categories.map(displayWidth), 0) * DIGIT + GAP) / step : 0
  const every = Math.ceil(Math.max(categories.length / most, broad))
  const room = Math.max(3, Math.floor((step * every - GAP) / DIGIT))
  const shown = categories.filter((_category, index) => index % every === 0)
  const slanted = shown.some((category) => inLines(category, room) === undefined)
  const longest = Math.min(MOST_SLANTED, Math.max(...shown.map(displayWidth), 0))
  return { every, room, slanted, height: slanted ? longest * DIGIT * SLOPE.y + 20 : LEVEL_HEIGHT }
}

/** Draws the label of one category at `x`, below the line at `y`. */
export function labelSvg(
  category: string,
  { slanted, room }: LabelPlan,
  { x, y }: { x: number; y: number },
): string {
  if (slanted) {
    const most = Math.min(MOST_SLANTED, (x - GAP) / DIGIT / SLOPE.x)
    const turn = `transform="rotate(-${SLOPE.degrees} ${x} ${y + 12})"`
    const place = `x="${x}" y="${y + 12}" ${turn} text-anchor="end" fill="var(--ink)"`
    return `<text ${place}>${escapeHtml(cut(category, most))}</text>`
  }
  const spans = (inLines(category, room) ?? [category]).map(
    (text, line) => `<tspan x="${x}" dy="${line === 0 ? 0 : 1.2}em">${escapeHtml(text)}</tspan>`,
  )
  return `<text x="${x}" y="${y + 18}" text-anchor="middle" fill="var(--ink)">${spans.join('')}</text>`
}

/** Wraps words to at most three lines; undefined if they do not fit. */
function inLines(text: string, room: number): string[] | undefined {
  const lines: string[] = []
  const words = text.split(' ').flatMap((word) => (fits(word, room) ? word : word.split(SEAM)))
  for (const word of words) {
    const last = lines.at(-1)
    const joined = `${last} ${word}`
    if (last !== undefined && fits(joined, room)) lines[lines.length - 1] = joined
    else lines.push(word)
  }
  return lines.length <= 3 && lines.every((line) => fits(line, room)) ? lines : undefined
}

/** Matches places where a long name may break: SharedCost, CONTACT_CENTER. */
const SEAM = /(?<=[a-z])(?=[A-Z])|(?<=[_-])/

function fits(text: string, room: number): boolean {
  return displayWidth(text) <= room
}

function cut(text: string, room: number): string {
  if (fits(text, room)) return text
  const letters = Array.from(text)
  while (letters.length > 1 && !fits(letters.join(''), room - 1)) letters.pop()
  return `${letters.join('')}…`
}

const GAP = 4
/** The width of a digit in the charts' font. */
const DIGIT = 6.2
const LEVEL_HEIGHT = 50
const MOST_SLANTED = 22
const SLOPE = { degrees: 50, x: 0.65, y: 0.77 }
