import { type RawBuilder, sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/declare/report.ts'
import { mondayOf } from '../shared/calendar.ts'
import { cellsOf, queryRows, type Row } from '../shared/query.ts'
import { type Facts, shareOf } from './facts.ts'
import {
  isRated,
  KINDS,
  type Kind,
  NO_KEY,
  noneBad,
  type SessionSource,
  sessionKey,
} from './source.ts'

const MOST_KEYS = 50
const KEYS_BY_WEEK = 15
/** With fewer rated sessions a share says little. */
const FEWEST_RATED = 5

/** Which session keys, and so which teams or rooms, have bad sessions, and in which week. */
export async function keysSection(source: SessionSource, facts: Facts): Promise<Section> {
  const worst = await queryRows(source.db, ranked(source))
  const days = await readDays(source, worst)
  const empty = noneBad(facts, source)
  return {
    title: 'Worst session keys',
    blocks: [
      {
        kind: 'note',
        tone: 'plain',
        text:
          `The keys with the most bad ratings first, of those with at least ${FEWEST_RATED} rated ` +
          'sessions; sessions without a key come last. A week is named by its Monday.',
      },
      { ...weekTable(facts, worst.slice(0, KEYS_BY_WEEK), days), empty },
      { ...worstKeys(worst, days), empty },
    ],
  }
}

const [AUDIO, VIDEO, SCREEN_SHARE] = KINDS
const ANY_BAD = sql`'bad' in (audio_quality, video_quality, screen_share_quality)`
const ANY_RATED = sql.join(
  KINDS.map(({ column }) => isRated(column)),
  sql` or `,
)

/** The part of the rated sessions that was rated bad; null where none was rated. */
const badShare = ({ column }: Kind): RawBuilder<unknown> => sql`
  count(*) filter (where ${sql.id(column)} = 'bad')::float8
    / nullif(count(*) filter (where ${isRated(column)}), 0)`

const ranked = (source: SessionSource): RawBuilder<unknown> => sql`
  select ${sessionKey} as session_key, count(*)::int as sessions, sum(participants)::float8 as users,
    count(*) filter (where audio_quality = 'bad')::int as bad_audio,
    ${badShare(AUDIO)} as bad_audio_share, ${badShare(VIDEO)} as bad_video_share,
    ${badShare(SCREEN_SHARE)} as bad_screen_share, count(*) filter (where ${ANY_BAD})::int as any_bad
  from ${source.sessions} s group by 1
  having count(*) filter (where ${ANY_RATED}) >= ${FEWEST_RATED} and bool_or(${ANY_BAD})
  order by ${sessionKey} = ${NO_KEY}, any_bad desc, bad_audio_share desc nulls last, session_key
  limit ${MOST_KEYS}`

interface KeyDay extends Row {
  session_key: string
  day: string
  any_bad: number
  bad: number
  rated: number
}

/** The worst keys day by day; the few keys are found by their index. */
function readDays({ db, sessions }: SessionSource, worst: readonly Row[]): Promise<KeyDay[]> {
  const keys = worst.map(({ session_key }) => String(session_key))
  const keyless = keys.includes(NO_KEY)
    ? sql`or s.session_key is null or s.session_key = ''`
    : sql``
  return queryRows<KeyDay>(
    db,
    sql`
    select ${sessionKey} as session_key, day::text as day, count(*) filter (where ${ANY_BAD})::int as any_bad,
      count(*) filter (where s.audio_quality = 'bad')::int as bad,
      count(*) filter (where ${isRated(AUDIO.column)})::int as rated
    from ${sessions} s where s.session_key = any(${keys}::text[]) ${keyless}
    group by 1, 2 order by 2`,
  )
}

function worstKeys(worst: readonly Row[], days: readonly KeyDay[]): Table {
  const columns: TableColumn[] = [
    { name: 'session_key', title: 'Session key', format: 'text' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    { name: 'users', title: 'Participants', format: 'integer' },
    { name: 'any_bad', title: 'Sessions with a bad rating', format: 'integer' },
    { name: 'bad_audio', title: 'Sessions with bad audio', format: 'integer' },
    { name: 'bad_audio_share', title: 'Audio bad', format: 'percent', tint: 'bad-share' },
    { name: 'bad_video_share', title: 'Video bad', format: 'percent', tint: 'bad-share' },
    {
      name: 'bad_screen_share',
      title: 'Screen share bad',
      format: 'percent',
      tint: 'bad-share',
    },
    { name: 'worst_day', title: 'Day with most bad', format: 'date' },
  ]
  const worstDay = (key: Row[string] | undefined): string | undefined =>
    days
      .filter(({ session_key, any_bad }) => session_key === key && any_bad > 0)
      .toSorted((a, b) => b.any_bad - a.any_bad)[0]?.day
  const rows = worst.map((row) =>
    cellsOf(columns, { ...row, worst_day: worstDay(row.session_key) ?? null }),
  )
  const title = 'Session keys, worst first'
  return { kind: 'table', title, columns, rows }
}

/**
 * Bad audio of the worst keys, week by week: where a bad share belongs to one week, it shows as one
 * red cell.
 */
function weekTable(facts: Facts, worst: readonly Row[], days: readonly KeyDay[]): Table {
  const weeks = [...new Set([...facts.days.keys()].map(mondayOf))].sort()
  const columns: TableColumn[] = [
    { name: 'session_key', title: 'Session key', format: 'text' },
    ...weeks.map(
      (week): TableColumn => ({
        name: week,
        title: week,
        format: 'percent',
        tint: 'bad-share',
      }),
    ),
  ]
  const shareIn = (key: Row[string] | undefined, week: string): number | null => {
    const own = days.filter(({ session_key, day }) => session_key === key && mondayOf(day) === week)
    const sum = (name: 'bad' | 'rated') => own.reduce((total, day) => total + day[name], 0)
    return shareOf(sum('bad'), sum('rated'))
  }
  const rows = worst.map(({ session_key = null }) => [
    session_key,
    ...weeks.map((week) => shareIn(session_key, week)),
  ])
  return { kind: 'table', title: 'Share of bad audio by week', columns, rows }
}
