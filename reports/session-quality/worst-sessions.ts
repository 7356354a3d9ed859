import { sql } from 'kysely'
import type { Section } from '../../src/core/declare/report.ts'
import { queryTable } from '../shared/query.ts'
import type { Facts } from './facts.ts'
import { noneBad, type SessionSource } from './source.ts'

const MOST_SESSIONS = 100

/**
 * Sessions by how bad all their ratings are together; among equals the ones that cost most people
 * most time.
 */
export async function worstSessionsSection(source: SessionSource, facts: Facts): Promise<Section> {
  const points = (column: string) => sql`
    case ${sql.id(column)} when 'bad' then 4 when 'poor' then 2 when 'fair' then 1 else 0 end`
  const query = sql`
    select to_char(start_time at time zone ${source.timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS') as start_time,
      session_name, session_key, seconds, participants,
      audio_quality, video_quality, screen_share_quality,
      has_pstn, has_recording, id
    from ${source.sessions} s
    where 'bad' in (audio_quality, video_quality, screen_share_quality)
    order by ${points('audio_quality')} + ${points('video_quality')}
        + ${points('screen_share_quality')} desc,
      participants::numeric * seconds desc nulls last, s.start_time, s.id
    limit ${MOST_SESSIONS}`
  const title = 'Worst sessions'
  const table = await queryTable(
    source.db,
    {
      title,
      empty: noneBad(facts, source),
      columns: [
        { name: 'start_time', title: 'Start', format: 'instant' },
        { name: 'session_name', title: 'Name', format: 'text' },
        { name: 'session_key', title: 'Session key', format: 'text' },
        { name: 'seconds', title: 'Duration', format: 'seconds' },
        { name: 'participants', title: 'Participants', format: 'integer' },
        { name: 'audio_quality', title: 'Audio', format: 'text', tint: 'quality' },
        { name: 'video_quality', title: 'Video', format: 'text', tint: 'quality' },
        { name: 'screen_share_quality', title: 'Screen share', format: 'text', tint: 'quality' },
        { name: 'has_pstn', title: 'By phone', format: 'boolean' },
        { name: 'has_recording', title: 'Recorded', format: 'boolean' },
        { name: 'id', title: 'ID', format: 'text' },
      ],
    },
    query,
  )
  const text =
    `At most ${MOST_SESSIONS} sessions with a bad rating: the ones with the worst ratings in all ` +
    'kinds first, then the ones with the most participants for the longest time.'
  return { title, blocks: [{ kind: 'note', tone: 'plain', text }, table] }
}
