import { type RawBuilder, sql } from 'kysely'
import type { Note, Section } from '../../src/core/define/report.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { finding, neverRead, note, section } from '../shared/blocks.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, idsOf, queryRows, tableColumns } from '../shared/query.ts'
import { readListed } from '../whiteboard-audit/listed.ts'
import { isOutside } from '../whiteboard-audit/person.ts'
import { type Exposed, SHARED } from './boards.ts'
import type { AccessSource } from './source.ts'

/** Outsiders who took part in archived sessions of the last `inactiveDays` days. */
export interface Outsiders {
  query: RawBuilder<unknown>
  people: number
  boards: number
}

export async function readOutsiders(source: AccessSource): Promise<Outsiders | undefined> {
  const needed = [whiteboardSessions, whiteboardParticipants, whiteboardActivities]
  if (needed.some((stream) => source.runId(stream) === undefined)) return undefined
  const query = await outsidersOf(source)
  const [row] = await queryRows(
    source.db,
    sql`select count(distinct name)::int as people, count(distinct whiteboard_id)::int as boards
      from (${query}) o`,
  )
  return { query, people: Number(row?.people ?? 0), boards: Number(row?.boards ?? 0) }
}

/** Raw SQL, because it combines stays with activities. Either list may lack some people. */
async function outsidersOf(source: AccessSource): Promise<RawBuilder<unknown>> {
  const { rows, timeZone, asOfMs, settings, boards, keep } = source
  const listed = await readListed(source)
  const from = instantOf(asOfMs - settings.inactiveDays * DAY_MS)
  const acts = sql`
    select session_id, coalesce(nullif(p.user_name, ''), '(no name)') as name, p.joined_at as at, 0 as acts
    from ${listed.stays} p where ${isOutside(sql`p.email`)}
    union all
    select session_id, coalesce(nullif(a.collaborator_name, ''), '(no name)'), a.create_time, 1
    from ${rows(whiteboardActivities)} a where ${isOutside(sql`a.email`)}`
  const seen = await keep(
    'outsiders',
    sql<object>`(
      select a.name, s.whiteboard_id, max(s.whiteboard_name) as seen_as,
        count(distinct a.session_id)::int as sessions, sum(acts)::int as activities,
        min(coalesce(a.at, s.start_time)) as first_at, max(coalesce(a.at, s.start_time)) as last_at
      from (${acts}) a join ${listed.sessions} s on s.id = a.session_id
      where coalesce(a.at, s.start_time) >= ${from} and coalesce(a.at, s.start_time) <= ${instantOf(asOfMs)}
      group by a.name, s.whiteboard_id)`,
  )
  return sql`
    select o.*, coalesce(b.board, o.seen_as) as board, b.owner,
      case when b.whiteboard_id is null then 'in the trash, deleted or not listed' else b.scope end as scope,
      ${localInstant(sql`first_at`, timeZone)} as first, ${localInstant(sql`last_at`, timeZone)} as last
    from ${seen} o left join ${boards} b using (whiteboard_id)`
}

/** Says how many outsiders took part or are collaborators, and what to do; undefined if there are none. */
export function outsidersFinding(
  { settings: { inactiveDays: days } }: AccessSource,
  { shared }: Exposed,
  outsiders: Outsiders | undefined,
): Note | undefined {
  const [people, boards] = [outsiders?.people ?? 0, outsiders?.boards ?? 0]
  if (shared === 0 && people === 0) return undefined
  const active =
    people === 0
      ? ''
      : `${counted(people, 'outsider', 'outsiders')} took part on ${counted(boards, 'board')} in the ` +
        `last ${grouped(days)} days`
  const named = shared === 0 ? '' : `${counted(shared, 'board is', 'boards are')} shared outside`
  const both = [active, named].filter((text) => text !== '').join('; ')
  return {
    ...finding(`${both}: remove who no longer needs access.`, 'plain'),
    link: people > 0 ? TITLE : SHARED,
  }
}

/** Lists each outsider on each board, the last seen first. */
export function outsidersSection(source: AccessSource, outsiders: Outsiders | undefined): Section {
  if (outsiders === undefined) {
    const so = 'active outsiders are unknown'
    const text = neverRead('Archived sessions were', { job: 'whiteboard-archives', so })
    return { title: TITLE, blocks: [note('warning', text)] }
  }
  const { inactiveDays: days } = source.settings
  const text =
    `People without an address in the account who took part in archived sessions of the last ${days} ` +
    'days, the last seen first. The service gives them neither an ID nor an address, so people with the ' +
    'same name count as one. It archives sessions, not single views: others may have opened the boards.'
  const columns = tableColumns([
    { name: 'name', title: 'Name', format: 'text' },
    { name: 'board', title: 'Board', format: 'text' },
    { name: 'owner', title: 'Owner', format: 'text' },
    { name: 'scope', title: 'Link access', format: 'text' },
    { name: 'last', title: 'Last seen', format: 'instant' },
    { name: 'first', title: 'First seen', format: 'instant' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    { name: 'activities', title: 'Activities', format: 'integer' },
    { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  ])
  const empty = 'No outsiders took part, as far as archived sessions were read.'
  const query = sql`select ${idsOf(columns)} from (${outsiders.query}) o
    order by last desc, name collate "C", whiteboard_id`
  return section(TITLE, text, cursorTable(source.db, { title: TITLE, columns, empty }, query))
}

const TITLE = 'Active outsiders'
