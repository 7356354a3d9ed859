import { type RawBuilder, sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/declare/report.ts'
import { mondayOf } from '../shared/calendar.ts'
import { countWhere, rowCount, type Text } from '../shared/expressions.ts'
import { cellsOf, type Row } from '../shared/query.ts'
import { type Facts, shareOf } from './facts.ts'
import {
  anyBad,
  isRated,
  KINDS,
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
  const worst = await readRanked(source)
  const days = await readDays(source, worst)
  const empty = noneBad(facts, source)
  return {
    title: 'Worst session keys',
    blocks: [
      {
        kind: 'note',
        tone: 'plain',
        text:
          `The keys that cost most first, of those with at least ${FEWEST_RATED} rated sessions: by the ` +
          'participant-minutes in sessions with a bad rating above what the month’s share leads one to ' +
          'expect. Sessions without a key come last. A week is named by its Monday.',
      },
      { ...weekTable(facts, worst.slice(0, KEYS_BY_WEEK), days), empty },
      { ...worstKeys(worst, days), empty },
    ],
  }
}

/** The part of the rated sessions that was rated bad; null where none was rated. */
const badShare = (column: Text) => sql<number | null>`
  count(*) filter (where ${column} = 'bad')::float8
    / nullif(count(*) filter (where ${isRated(column)}), 0)`

const anyRated = sql<boolean>`(${sql.join(
  KINDS.map(({ column }) => isRated(sql.ref(column))),
  sql` or `,
)})`
/** What sessions cost: everybody's time in them, in minutes. */
const minutesWhere = (condition: RawBuilder<boolean>) => sql<number>`
  coalesce(sum(participants::float8 * seconds) filter (where ${condition}), 0) / 60`

/** The part of all participant-minutes in rated sessions that was in bad ones. */
async function badPart({ db, sessions }: SessionSource): Promise<number> {
  const { bad, rated } = await db
    .selectFrom(sessions.as('s'))
    .select([minutesWhere(anyBad).as('bad'), minutesWhere(anyRated).as('rated')])
    .executeTakeFirstOrThrow()
  return rated === 0 ? 0 : bad / rated
}

async function readRanked(source: SessionSource) {
  const { db, sessions } = source
  const part = await badPart(source)
  const excess = sql<number>`${minutesWhere(anyBad)} - ${part}::float8 * ${minutesWhere(anyRated)}`
  return db
    .selectFrom(sessions.as('s'))
    .select([
      sessionKey.as('session_key'),
      rowCount.as('sessions'),
      countWhere(anyBad).as('any_bad'),
      minutesWhere(anyBad).as('bad_minutes'),
      excess.as('excess_minutes'),
    ])
    .select(({ eb, ref }) => [
      sql<number | null>`sum(${ref('s.participants')})::float8`.as('users'),
      countWhere(eb('s.audio_quality', '=', 'bad')).as('bad_audio'),
      badShare(ref('s.audio_quality')).as('bad_audio_share'),
      badShare(ref('s.video_quality')).as('bad_video_share'),
      badShare(ref('s.screen_share_quality')).as('bad_screen_share'),
    ])
    .groupBy(sessionKey)
    .having(sql<number>`count(*) filter (where ${anyRated})`, '>=', FEWEST_RATED)
    .having(sql<boolean>`bool_or(${anyBad})`)
    .orderBy(({ eb }) => eb(sessionKey, '=', NO_KEY))
    .orderBy('excess_minutes', 'desc')
    .orderBy('any_bad', 'desc')
    .orderBy(sessionKey)
    .limit(MOST_KEYS)
    .execute()
}

type KeyDay = Awaited<ReturnType<typeof readDays>>[number]

/** The worst keys day by day; the few keys are found by their index. */
function readDays({ db, sessions }: SessionSource, worst: readonly Row[]) {
  const keys = worst.map(({ session_key }) => String(session_key))
  return db
    .selectFrom(sessions.as('s'))
    .select([sessionKey.as('session_key'), countWhere(anyBad).as('any_bad')])
    .select(({ eb, ref }) => [
      eb.cast<string>('s.day', 'text').as('day'),
      countWhere(eb('s.audio_quality', '=', 'bad')).as('bad'),
      countWhere(isRated(ref('s.audio_quality'))).as('rated'),
    ])
    .where(({ eb, or }) =>
      or([
        eb('s.session_key', '=', sql<string>`any(${keys}::text[])`),
        ...(keys.includes(NO_KEY)
          ? [eb('s.session_key', 'is', null), eb('s.session_key', '=', '')]
          : []),
      ]),
    )
    .groupBy([sessionKey, 's.day'])
    .orderBy('s.day')
    .execute()
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
    { name: 'bad_minutes', title: 'Participant-minutes in bad sessions', format: 'integer' },
    { name: 'excess_minutes', title: 'Of these more than expected', format: 'integer' },
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
