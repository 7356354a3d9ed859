import { sql } from 'kysely'
import type { ChartBlock, Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { chart, section } from '../shared/blocks.ts'
import { daysOf, mondayOf } from '../shared/calendar.ts'
import { rowCount, sum } from '../shared/expressions.ts'
import { lastBegun } from '../shared/local-time.ts'
import { type Row, tableOf } from '../shared/query.ts'
import { type Share, sumOf } from '../shared/statistics.ts'
import type { QualityFacts } from './facts.ts'
import type { KeyWeeks } from './key-weeks.ts'
import { beginningsOf, countByBeginning, type SessionKeySource } from './key-words.ts'
import { isVague, kindColumns, kindShares, shareMap, TOO_FEW_TEXT } from './kind-shares.ts'
import { anyBad, NO_KEY, noBadSessionText, type SessionSource, sessionKey } from './source.ts'

const MOST_KEYS = 50
const KEYS_BY_WEEK = 15
/** The minimum number of rated sessions of a listed key. */
const FEWEST_RATED = 5

/** Shows which session keys, and so which teams or rooms, have bad sessions, and in which week. */
export async function keysSection(
  source: SessionSource,
  facts: QualityFacts,
  keyWeeks: KeyWeeks,
): Promise<Section> {
  const worst = await readRanked(source, keyWeeks)
  const names = worst.map(({ session_key }) => session_key)
  const empty = noBadSessionText(facts, source)
  const weeks = [...new Set([...facts.days.keys()].map(mondayOf))].sort()
  return section(
    'Worst session keys',
    ABOUT,
    ...keyChart(worst),
    ...(await weekMap({ ...source, keyWeeks }, names, weeks)),
    { ...worstKeys(worst, await readWorstDays(source, names)), empty },
  )
}

async function readRanked({ db }: SessionSource, keyWeeks: KeyWeeks) {
  // The share of the month's rated participant-minutes that was in bad sessions.
  const part = sql<number>`coalesce((
    select sum(bad_minutes) / nullif(sum(rated_minutes), 0) from ${keyWeeks} m), 0)`
  const excess = sql<number>`(sum(k.bad_minutes) - ${part} * sum(k.rated_minutes))::float8`
  return db
    .selectFrom(keyWeeks.as('k'))
    .select(({ ref }) => [
      'k.session_key',
      sum(ref('k.sessions')).as('sessions'),
      sql<number | null>`sum(${ref('k.users')})`.as('users'),
      sum(ref('k.any_bad')).as('any_bad'),
      sum(ref('k.audio_rated')).as('audio_rated'),
      sum(ref('k.audio_bad')).as('audio_bad'),
      sum(ref('k.video_rated')).as('video_rated'),
      sum(ref('k.video_bad')).as('video_bad'),
      sum(ref('k.screen_share_rated')).as('screen_share_rated'),
      sum(ref('k.screen_share_bad')).as('screen_share_bad'),
      sql<number>`sum(${ref('k.bad_minutes')})::float8`.as('bad_minutes'),
      excess.as('excess_minutes'),
    ])
    .groupBy('k.session_key')
    .having(({ ref }) => sum(ref('k.any_rated')), '>=', FEWEST_RATED)
    .having(excess, '>', 0)
    .orderBy(({ eb }) => eb('k.session_key', '=', NO_KEY))
    .orderBy('excess_minutes', 'desc')
    .orderBy('any_bad', 'desc')
    .orderBy('k.session_key')
    .limit(MOST_KEYS)
    .execute()
}

/** Reads the day on which each key had the most bad sessions; of several such days, the first. */
async function readWorstDays(
  { db, sessions, month, timeZone }: SessionSource,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const days = db
    .selectFrom(sessions.as('s'))
    .select(sessionKey.as('session_key'))
    .select(({ ref }) => lastBegun(daysOf(month.label), ref('s.began'), timeZone).as('day'))
    .select(rowCount.as('bad'))
    .where(anyBad)
    .where(sql<boolean>`${sessionKey} = any(${keys}::text[])`)
    .groupBy([sessionKey, sql.ref('day')])
  const rows = await db
    .selectFrom(days.as('d'))
    .distinctOn('d.session_key')
    .select(['d.session_key', sql<string>`d.day::text`.as('day')])
    .orderBy('d.session_key')
    .orderBy('d.bad', 'desc')
    .orderBy('d.day')
    .execute()
  return new Map(rows.map(({ session_key, day }) => [session_key, day]))
}

/** Charts the cost of the keys, if there are at least two. */
function keyChart(worst: readonly Row[]): ChartBlock[] {
  const shown = worst
    .filter(
      ({ session_key, excess_minutes }) => session_key !== NO_KEY && Number(excess_minutes) > 0,
    )
    .slice(0, KEYS_BY_WEEK)
  if (shown.length < 2) return []
  return [
    chart('Participant-minutes in bad sessions above what was to be expected', {
      type: 'bar',
      valueFormat: 'integer',
      categories: shown.map(({ session_key }) => String(session_key)),
      series: [
        {
          name: 'Participant-minutes',
          tone: 'bad',
          values: shown.map(({ excess_minutes }) => Number(excess_minutes)),
        },
      ],
    }),
  ]
}

function worstKeys(worst: readonly Row[], worstDays: ReadonlyMap<string, string>): Table {
  const columns: TableColumn[] = [
    { name: 'session_key', title: 'Session key', format: 'text' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    { name: 'users', title: 'Participants', format: 'integer' },
    { name: 'any_bad', title: 'Sessions with a bad rating', format: 'integer' },
    { name: 'bad_minutes', title: 'Participant-minutes in bad sessions', format: 'integer' },
    { name: 'excess_minutes', title: 'Minutes above the expected', format: 'integer' },
    ...kindColumns,
    { name: 'worst_day', title: 'Day with most bad', format: 'date' },
  ]
  const rows = worst.map((row) => ({
    ...row,
    ...kindShares((kind) => ({
      of: Number(row[`${kind}_rated`]),
      hits: Number(row[`${kind}_bad`]),
    })),
    worst_day: worstDays.get(String(row.session_key)) ?? null,
  }))
  return tableOf({ title: 'Session keys, worst first', columns }, rows)
}

/**
 * Shows bad audio of the worst keys by week, so that a problem of one week is one red cell. If too many cells
 * have too few sessions, merges keys with equal beginnings. If the merged cells still have too few, there is
 * no map.
 */
async function weekMap(
  source: SessionSource & SessionKeySource,
  worst: readonly string[],
  weeks: readonly string[],
): Promise<Table[]> {
  const keys = worst.filter((key) => key !== NO_KEY)
  for (const words of [Number.POSITIVE_INFINITY, 3, 2, 1]) {
    const alike = keys.map((key) => beginningsOf(key)[words - 1] ?? key)
    const names = [...new Set(alike)].slice(0, KEYS_BY_WEEK)
    const counted = countByBeginning(source, names, { kind: 'audio' })
    const whole = words === Number.POSITIVE_INFINITY
    const own = whole ? counted.whereRef('k.session_key', '=', 'n.name') : counted
    const rows = await own.execute()
    const shareAt = (name: string, monday: string): Share =>
      sumOf(rows.filter((row) => row.name === name && mondayOf(row.week) === monday))
    const cells = names.flatMap((name) => weeks.map((monday) => shareAt(name, monday)))
    const known = cells.filter(({ of }) => of > 0)
    if (known.length === 0 || known.filter(isVague).length > known.length * MOST_VAGUE) continue
    const title = `Share of bad audio by week${whole ? '' : ', of keys that begin alike'}`
    const file = 'Share of bad audio by week'
    const lines = names.map((name) => [name, name] as const)
    const of = ['session_key', whole ? 'Session key' : 'Keys that begin with'] as const
    return names.length < 2 ? [] : [shareMap({ title, file, of, lines, columns: weeks }, shareAt)]
  }
  return []
}

/** The maximum share of vague cells in a map. */
const MOST_VAGUE = 0.25
const ABOUT =
  `Keys with at least ${FEWEST_RATED} rated sessions, the costliest first. The cost is the ` +
  'participant-minutes in badly rated sessions above what the month’s average share predicts. Keys ' +
  'that are no worse than expected are left out. Sessions without a key come last. A week ' +
  `is named by its Monday. ${TOO_FEW_TEXT}`
