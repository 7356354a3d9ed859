import { sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/report.ts'
import { cellsOf, queryRows, queryTable, type Row } from '../shared/query.ts'
import { NO_KEY, sessionKey, type SessionSource } from './source.ts'

const MOST_KEYS = 50
const KEYS_BY_WEEK = 15
/** With fewer rated sessions a share says little. */
const FEWEST_RATED = 5

/** Which session keys, and so which teams or rooms, have bad sessions, and in which week. */
export async function keysSection(source: SessionSource): Promise<Section> {
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
      await weekTable(source),
      await worstKeys(source),
    ],
  }
}

const ranked = (source: SessionSource, most: number) => sql`
  select ${sessionKey} as session_key, count(*)::int as sessions,
    sum(user_count)::int as users,
    count(audio_quality)::int as rated,
    count(*) filter (where audio_quality = 'bad')::int as bad_audio,
    count(*) filter (where audio_quality = 'bad')::float8 / nullif(count(audio_quality), 0)
      as bad_audio_share,
    count(*) filter (where video_quality = 'bad')::float8 / nullif(count(video_quality), 0)
      as bad_video_share,
    count(*) filter (where screen_share_quality = 'bad')::float8
      / nullif(count(screen_share_quality), 0) as bad_screen_share,
    count(*) filter (where 'bad' in (audio_quality, video_quality, screen_share_quality))::int
      as any_bad,
    mode() within group (order by day) filter
      (where 'bad' in (audio_quality, video_quality, screen_share_quality))::text as worst_day
  from ${source.sessions} s group by 1
  having count(coalesce(audio_quality, video_quality, screen_share_quality)) >= ${FEWEST_RATED}
    and bool_or('bad' in (audio_quality, video_quality, screen_share_quality))
  order by ${sessionKey} = ${NO_KEY}, any_bad desc, bad_audio_share desc nulls last, session_key
  limit ${most}`

function worstKeys(source: SessionSource): Promise<Table> {
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
  const table = { title: 'Session keys, worst first', columns, empty: 'No session was rated bad.' }
  return queryTable(source.db, table, ranked(source, MOST_KEYS))
}

/**
 * Bad audio of the worst keys, week by week: where a bad share belongs to one week, it shows as one
 * red cell.
 */
async function weekTable(source: SessionSource): Promise<Table> {
  const weeks = await queryRows<{ week: string }>(
    source.db,
    sql`select distinct date_trunc('week', day)::date::text as week from ${source.sessions} s
      order by 1`,
  )
  const columns: TableColumn[] = [
    { name: 'session_key', title: 'Session key', format: 'text' },
    ...weeks.map(
      ({ week }): TableColumn => ({
        name: week,
        title: week,
        format: 'percent',
        tint: 'bad-share',
      }),
    ),
  ]
  const query = sql`
    with worst as (${ranked(source, KEYS_BY_WEEK)})
    select w.session_key, date_trunc('week', s.day)::date::text as week,
      count(*) filter (where s.audio_quality = 'bad')::float8 / nullif(count(s.audio_quality), 0)
        as bad_share
    from worst w join ${source.sessions} s on ${sessionKey} = w.session_key
    group by w.session_key, w.any_bad, w.bad_audio_share, week
    order by w.session_key = ${NO_KEY}, w.any_bad desc, w.bad_audio_share desc nulls last,
      w.session_key, week`
  const byKey = new Map<string, Row>()
  for (const { session_key, week, bad_share } of await queryRows(source.db, query)) {
    const key = String(session_key)
    byKey.set(key, { ...byKey.get(key), session_key: key, [String(week)]: bad_share ?? null })
  }
  return {
    kind: 'table',
    title: 'Share of bad audio by week',
    columns,
    rows: [...byKey.values()].map((row) => cellsOf(columns, row)),
    empty: 'No session was rated bad.',
  }
}
