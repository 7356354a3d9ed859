import { type RawBuilder, sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, idsOf, listSection, orderedTable, tableColumns } from '../shared/query.ts'
import { asFarAsRead } from './as-far-as-read.ts'
import { lengthOf, presentBySession } from './facts.ts'
import { scoped } from './scope.ts'
import type { AuditSource } from './source.ts'

const PRESENCE: readonly TableColumn[] = [
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'stays', title: 'Stays', format: 'integer' },
  { name: 'seconds', title: 'Time present', format: 'seconds' },
  { name: 'open_ends', title: 'Stays without an end', format: 'integer' },
  { name: 'boards', title: 'Boards', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'first', title: 'First seen', format: 'instant' },
  { name: 'last', title: 'Last seen', format: 'instant' },
]
const INSIDE: readonly TableColumn[] = [
  { name: 'name', title: 'Person', format: 'text' },
  { name: 'email', title: 'E-mail', format: 'text' },
  ...PRESENCE,
  { name: 'user_id', title: 'User ID', format: 'text' },
]
const OUTSIDE: readonly TableColumn[] = [
  { name: 'name', title: 'Name', format: 'text' },
  ...PRESENCE,
]
const STAYS = tableColumns([
  { name: 'joined', title: 'Joined', format: 'instant' },
  { name: 'left', title: 'Left', format: 'instant' },
  { name: 'seconds', title: 'Time present', format: 'seconds' },
  { name: 'remark', title: 'Remark', format: 'text' },
  { name: 'user_name', title: 'Person', format: 'text' },
  { name: 'email', title: 'E-mail', format: 'text' },
  { name: 'outside', title: 'From outside', format: 'boolean' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'session_id', title: 'Session ID', format: 'text' },
  { name: 'user_id', title: 'User ID', format: 'text' },
])

const PRESENT =
  'Time present runs from joining to leaving, within the period. Overlapping stays of a ' +
  'person, for example on two devices or boards, count once. A stay without a recorded end is ' +
  'counted, but adds no time.'
const HOW = `${PRESENT} People with activities but no recorded stay are listed too.`

/** Lists the people of the account who took part. */
export function participantsSection(source: AuditSource): Section {
  const title = 'Participants'
  const empty = scoped(source, asFarAsRead(source, 'Nobody from the account took part.'))
  const table = { title, columns: INSIDE, empty }
  return section(
    title,
    `People of the account, the most active first. ${HOW}`,
    cursorTable(source.db, table, peopleQuery(source, INSIDE)),
  )
}

/** Lists people from outside with each of their stays. A report on one user lists none. */
export function outsidersSection(source: AuditSource): Section {
  const title = 'From outside'
  if (source.person !== undefined) {
    const left =
      'A report on one user leaves out people from outside, and cannot be made for one of ' +
      'them: the service gives them neither an ID nor an address.'
    return section(title, left)
  }
  const text =
    'People without an address in the account, the most active first. They have no ID either, ' +
    `so people with the same name count as one person. ${HOW}`
  const empty = scoped(source, asFarAsRead(source, 'Nobody from outside took part.'))
  const people = { title: 'People', columns: OUTSIDE, empty }
  const columns = STAYS.filter(({ name }) => !['email', 'outside', 'user_id'].includes(name))
  const stays = { title: 'Their stays', columns, empty: asFarAsRead(source, 'There are no stays.') }
  return section(
    title,
    text,
    cursorTable(source.db, people, peopleQuery(source, OUTSIDE)),
    staysTable(source, stays, staysOf(source).where('s.outside', '=', true)),
  )
}

export function allStaysSection(source: AuditSource): Section {
  const title = 'All stays'
  const table = { title, columns: STAYS, empty: asFarAsRead(source, 'There are no stays.') }
  return listSection(staysTable(source, table))
}

/**
 * Combines people who were present with people who did something, because each list may lack some. Raw SQL,
 * because it adds up overlapping stays.
 */
function peopleQuery(source: AuditSource, columns: readonly TableColumn[]): RawBuilder<unknown> {
  const { period, timeZone } = source
  const wanted = columns === OUTSIDE ? sql`outside` : sql`not outside`
  return sql`
    select ${idsOf(columns)} from (select p.*, ${lengthOf(sql`spans`)} as seconds from (
      select person, coalesce(max(name), max(acted_as)) as name,
        coalesce(max(email), max(acted_email)) as email, coalesce(max(acted_id), max(id)) as user_id,
        count(distinct session_id)::int as sessions, sum(stays)::int as stays,
        range_agg(spans) as spans, sum(open_ends)::int as open_ends,
        count(distinct whiteboard_id)::int as boards, sum(activities)::int as activities,
        ${localInstant(sql`min(first)`, timeZone)} as first,
        ${localInstant(sql`max(last)`, timeZone)} as last
      from (
        select person, session_id, whiteboard_id, name, email collate "C" as email,
          case when outside then null else person end as id, stays, spans, open_ends,
          came as first, went as last, 0 as activities,
          null as acted_as, null as acted_email, null as acted_id
        from (${presentBySession(source, period)}) p where ${wanted}
        union all
        select person, session_id, whiteboard_id, null, null, null, 0, null::tstzmultirange, 0,
          min(at), max(at), count(*), max(collaborator_name collate "C"), max(email collate "C"),
          max(user_id collate "C")
        from ${source.activities(period)} a where ${wanted} group by 1, 2, 3) p
      group by person) p) p
    order by activities desc, seconds desc nulls last, person`
}

function staysTable(
  source: AuditSource,
  table: { title: string; columns: typeof STAYS; empty: string },
  rows = staysOf(source),
): Table {
  const order = ['joined_at', 'session_id', 'person', 'ordinal'] as const
  return orderedTable(source.db, table, { rows, order })
}

function staysOf({ db, stays, period, timeZone }: AuditSource) {
  return db
    .selectFrom(stays(period).as('s'))
    .selectAll('s')
    .select(({ eb, or, ref }) => [
      localInstant(ref('s.joined_at'), timeZone).as('joined'),
      localInstant(ref('s.left_at'), timeZone).as('left'),
      eb
        .case()
        .when('s.joined_at', 'is', null)
        .then('no time of joining')
        .when('s.open_end', '=', true)
        .then('no end on record')
        .when('s.span', 'is', null)
        .then('left before joining')
        .when(
          or([
            eb('s.joined_at', '<', instantOf(period.fromMs)),
            eb('s.left_at', '>', instantOf(period.toMs)),
          ]),
        )
        .then('cut to the period')
        .end()
        .as('remark'),
    ])
}
