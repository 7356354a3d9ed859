import type { Row } from '../shared/query.ts'
import { wilson } from '../shared/statistics.ts'
import { intervalText } from '../shared/words.ts'
import { type KINDS, QUALITIES } from './source.ts'

export interface Band {
  title: string
  /** The lower bound, inclusive. */
  from: number
}

export const DURATIONS: readonly Band[] = [
  { title: 'under 5 min', from: 0 },
  { title: '5–15 min', from: 300 },
  { title: '15–30 min', from: 900 },
  { title: '30–60 min', from: 1_800 },
  { title: '1–2 h', from: 3_600 },
  { title: '2 h and more', from: 7_200 },
]
export const SIZES: readonly Band[] = [
  { title: '1 or none', from: 0 },
  { title: '2', from: 2 },
  { title: '3–5', from: 3 },
  { title: '6–10', from: 6 },
  { title: '11–25', from: 11 },
  { title: '26 and more', from: 26 },
]
export const FEATURES = [
  { column: 'has_voip', title: 'Computer audio (VoIP)' },
  { column: 'has_pstn', title: 'Telephone (PSTN)' },
  { column: 'has_video', title: 'Video' },
  { column: 'has_screen_share', title: 'Screen share' },
  { column: 'has_recording', title: 'Recording' },
  { column: 'has_session_summary', title: 'Summary' },
] as const

/** Counts of sessions, participants, seconds, ratings (`audio_bad`) and used features. */
export type Counts = Readonly<Record<string, number | null>>

/** The sessions by one property, such as their size or their hour. */
export interface Grouping {
  by: string
  /** The sheet that compares the levels. */
  sheet: string
  levels: readonly GroupLevel[]
}

export interface GroupLevel {
  level: string
  /** Completes a sentence such as `1 of 19 sessions …`, e.g. `with a telephone`. */
  where: string
  /** What to do if the sessions of this level are worse than all others. */
  todo: string
  /** Counts by week: its Monday, or the first day of a month that begins within it. */
  weeks: ReadonlyMap<string, Counts>
}

/** The counts that the sheets show. A count that is missing from `Counts` is 0. */
export interface QualityFacts {
  /** Undefined if nothing of the month was read. */
  month: Counts | undefined
  before: Counts
  /** The days of the month that were read; a day without sessions has no counts. */
  days: ReadonlyMap<string, Counts>
  /** Days with sessions in the compared period, if there is one. */
  daysBefore: ReadonlyMap<string, Counts>
  /** The days of all earlier months that were read. */
  earlier: ReadonlyMap<string, Counts>
  /** Counts by month, including the report's own; unread months are missing. */
  months: ReadonlyMap<string, Counts>
  /** Counts of all months by weekday and hour: `Mon 9`. */
  hours: ReadonlyMap<string, Counts>
  /** Counts by weekday and block of two hours, by week. */
  hourBlocks: Grouping
}

/** Returns counts and shares of one kind's ratings; empty for an unread period. */
export function qualityOf(counts: Counts | undefined, kind: (typeof KINDS)[number]['kind']): Row {
  if (counts === undefined) return {}
  const row: Record<string, number | string | null> = { sessions: counts.sessions ?? 0 }
  const rated = QUALITIES.reduce((sum, quality) => sum + numberOf(counts, `${kind}_${quality}`), 0)
  for (const quality of QUALITIES) {
    const count = numberOf(counts, `${kind}_${quality}`)
    row[quality] = count
    row[`${quality}_share`] = rated === 0 ? null : count / rated
  }
  const interval = wilson({ of: rated, hits: numberOf(counts, `${kind}_bad`) })
  return { ...row, rated, bad_interval: interval === undefined ? null : intervalText(interval) }
}

export function numberOf(counts: Counts, name: string): number {
  return counts[name] ?? 0
}

/** Returns the share, or null if the whole is zero. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Adds up counts by key. A value stays null if all parts have null. */
export function summedBy(parts: Iterable<readonly [key: string, Counts]>): Map<string, Counts> {
  const sums = new Map<string, Record<string, number | null>>()
  for (const [key, counts] of parts) {
    const sum = sums.get(key) ?? {}
    for (const [name, count] of Object.entries(counts))
      sum[name] = count === null ? (sum[name] ?? null) : (sum[name] ?? 0) + count
    sums.set(key, sum)
  }
  return sums
}
