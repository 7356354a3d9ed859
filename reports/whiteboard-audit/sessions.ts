import type { Section } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { countDistinct, sum } from '../shared/expressions.ts'
import { localInstant } from '../shared/local-time.ts'
import { orderedTable, tableColumns } from '../shared/query.ts'
import { asFarAsRead } from './as-far-as-read.ts'
import { outsiders, seenBySession } from './facts.ts'
import { unreadSessions } from './read-whole.ts'
import { countable } from './scope.ts'
import type { AuditSource } from './source.ts'

const COLUMNS = tableColumns([
  { name: 'start', title: 'Start', format: 'instant' },
  { name: 'end', title: 'End', format: 'instant' },
  { name: 'seconds', title: 'Duration', format: 'seconds' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'outsiders', title: 'From outside', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'read', title: 'Activities read', format: 'text', tint: 'state' },
  { name: 'stored', title: 'Files stored', format: 'integer' },
  { name: 'open', title: 'Files pending', format: 'integer' },
  { name: 'lost', title: 'Files lost', format: 'integer' },
  { name: 'deadline', title: 'Archive expires', format: 'instant' },
  { name: 'gone', title: 'Found deleted at the service', format: 'instant' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'id', title: 'Session ID', format: 'text' },
])

/** Lists every session that was open at some time in the period. */
export function sessionsSection(source: AuditSource): Section {
  const title = 'Sessions'
  const text =
    'Every archived session that was open at some time in the period, sorted by start. If the ' +
    'start is unknown, the session’s first known event counts. Activities and files are those ' +
    'of the period. A session that was deleted at the service is shown as it was last read.'
  const columns = countable(source, COLUMNS)
  const table = { title, columns, empty: asFarAsRead(source, 'There are no sessions.') }
  const sessions = { rows: sessionsOf(source), order: ['began', 'id'] } as const
  return section(title, text, orderedTable(source.db, table, sessions))
}

function sessionsOf(source: AuditSource) {
  const { db, period, timeZone } = source
  const seen = db
    .selectFrom(seenBySession(source).as('p'))
    .select(({ ref }) => [
      'p.session_id',
      countDistinct(ref('p.person')).as('people'),
      outsiders(ref('p.person')).as('outsiders'),
      ...COUNTED.map((name) => sum(ref(`p.${name}`)).as(name)),
    ])
    .groupBy('p.session_id')
  return db
    .selectFrom(source.sessions(period).as('s'))
    .leftJoin(seen.as('p'), 'p.session_id', 's.id')
    .leftJoin(unreadSessions(source).as('u'), 'u.id', 's.id')
    .selectAll('s')
    .select(({ fn, lit, ref, val }) => [
      localInstant(ref('s.start_time'), timeZone).as('start'),
      localInstant(ref('s.end_time'), timeZone).as('end'),
      localInstant(ref('s.expire_time'), timeZone).as('deadline'),
      localInstant(ref('s.gone_at'), timeZone).as('gone'),
      fn.coalesce('p.people', lit(0)).as('people'),
      fn.coalesce('p.outsiders', lit(0)).as('outsiders'),
      fn.coalesce('p.activities', lit(0)).as('activities'),
      fn.coalesce('p.stored', lit(0)).as('stored'),
      fn.coalesce('p.pending', lit(0)).as('open'),
      fn.coalesce('p.lost', lit(0)).as('lost'),
      fn.coalesce('u.state', val('complete')).as('read'),
    ])
}

const COUNTED = ['activities', 'stored', 'pending', 'lost'] as const
