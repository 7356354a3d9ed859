import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import type { Text } from '../shared/expressions.ts'
import { localInstant } from '../shared/local-time.ts'
import { tableOf } from '../shared/query.ts'
import type { QualityFacts } from './facts.ts'
import { anyBad, KINDS, noBadSessionText, type SessionSource } from './source.ts'

const MOST_SESSIONS = 100

/** Lists bad sessions by cost (participants times duration), then by all their ratings. */
export async function worstSessionsSection(
  source: SessionSource,
  facts: QualityFacts,
): Promise<Section> {
  const title = 'Worst sessions'
  const table = tableOf(
    {
      title,
      empty: noBadSessionText(facts, source),
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
    await readWorst(source),
  )
  const text =
    `At most ${MOST_SESSIONS} sessions with a bad rating: the ones with the most participants for the ` +
    'longest time first, then the ones with the worst ratings in all kinds.'
  return section(title, text, table)
}

function readWorst({ db, sessions, timeZone }: SessionSource) {
  const points = (column: Text) => sql`
    case lower(${column}) when 'bad' then 4 when 'poor' then 2 when 'fair' then 1 else 0 end`
  return db
    .selectFrom(sessions.as('s'))
    .select(({ ref }) => localInstant(ref('s.start_time'), timeZone).as('start_time'))
    .select(['s.session_name', 's.session_key', 's.seconds', 's.participants'])
    .select(['s.has_pstn', 's.has_recording', 's.id'])
    .select(({ fn }) => KINDS.map(({ column }) => fn<string | null>('lower', [column]).as(column)))
    .where(anyBad)
    .orderBy(sql`s.participants::numeric * s.seconds`, (order) => order.desc().nullsLast())
    .orderBy(
      ({ ref }) => sql`${points(ref('s.audio_quality'))} + ${points(ref('s.video_quality'))}
        + ${points(ref('s.screen_share_quality'))}`,
      'desc',
    )
    .orderBy('s.start_time')
    .orderBy('s.id')
    .limit(MOST_SESSIONS)
    .execute()
}
