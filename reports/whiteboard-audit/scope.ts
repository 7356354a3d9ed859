import type { Note, TableColumn } from '../../src/core/define/report.ts'
import { count } from '../../src/core/values/quantities.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { note } from '../shared/blocks.ts'
import { countWhere } from '../shared/expressions.ts'
import { lowerFirst } from '../shared/words.ts'
import { isPerson } from './person.ts'
import type { AuditSource } from './source.ts'

type Filters = Pick<AuditSource, 'params' | 'person'>

/** Puts the filters before a sentence: `Only the board wb-3: nobody from outside took part.` */
export function scoped(filters: Filters, sentence: string): string {
  const { params, person } = filters
  const parts = [
    ...(params.whiteboard === undefined ? [] : [`the board ${params.whiteboard}`]),
    ...(params.user === undefined ? [] : [`the user ${person?.name ?? params.user}`]),
  ]
  if (parts.length === 0) return sentence
  return `Only ${parts.join(' and ')}: ${lowerFirst(sentence)}`
}

/**
 * Omits counts that concern other people if there is a person filter. Nobody else is counted then, so such a
 * count would suggest that the person was alone.
 */
export function countable<C extends Pick<TableColumn, 'name'>>(
  { person }: Filters,
  columns: readonly C[],
): readonly C[] {
  return person === undefined ? columns : columns.filter(({ name }) => !OF_OTHERS.has(name))
}

const OF_OTHERS: ReadonlySet<string> = new Set([
  'people',
  'outside',
  'outsiders',
  'outside_activities',
])

/** Notes filters that match no person or no board: more often a mistake than an empty result. */
export async function readUnmatchedFilters(source: AuditSource): Promise<Note[]> {
  const { params } = source
  const notes: Note[] = []
  const told = (text: string) =>
    notes.push({
      kind: 'note',
      tone: 'warning',
      text,
      mistake: true,
    })
  if (params.whiteboard !== undefined && !(await isBoard(source, params.whiteboard)))
    told(`No board with the ID ${params.whiteboard} was found in the data. Check --whiteboard.`)
  if (params.user !== undefined && !(await isSomebody(source)))
    told(`Nobody with the ID or e-mail address ${params.user} was found in the data. Check --user.`)
  return notes
}

async function isBoard({ db, rows, listed }: AuditSource, id: string): Promise<boolean> {
  const list = db.selectFrom(rows(whiteboards).as('b')).selectAll('b')
  const sessions = db.selectFrom(listed.sessions.as('s')).selectAll('s')
  const { known } = await db
    .selectNoFrom(({ exists, or }) =>
      or([
        exists(list.where('b.whiteboard_id', '=', id)),
        exists(sessions.where('s.whiteboard_id', '=', id)),
      ]).as('known'),
    )
    .executeTakeFirstOrThrow()
  return known === true
}

/** Whether the person is known, did something, or is a collaborator. True without a person filter. */
async function isSomebody({ db, rows, person }: AuditSource): Promise<boolean> {
  if (person === undefined || person.known) return true
  const activities = db
    .selectFrom(rows(whiteboardActivities).as('p'))
    .selectAll('p')
    .where(({ ref }) => isPerson(ref('p.user_id'), ref('p.email'), person))
  const collaborators = db
    .selectFrom(rows(whiteboardCollaborators).as('p'))
    .selectAll('p')
    .where(({ ref }) => isPerson(ref('p.user_id'), ref('p.email'), person))
  const { known } = await db
    .selectNoFrom(({ exists, or }) => or([exists(activities), exists(collaborators)]).as('known'))
    .executeTakeFirstOrThrow()
  return known === true
}

/** Notes archives that were deleted at the service before they expired. */
export async function readDeletedArchives({ db, sessions, period }: AuditSource): Promise<Note[]> {
  const { gone } = await db
    .selectFrom(sessions(period).as('s'))
    .select(({ eb }) => countWhere(eb('s.gone_at', 'is not', null)).as('gone'))
    .executeTakeFirstOrThrow()
  if (gone === 0) return []
  const text =
    gone === 1
      ? '1 session was deleted at the service before its archive expired. It is shown as it was last read.'
      : `${count(gone)} sessions were deleted at the service before their archives expired. They are ` +
        'shown as they were last read.'
  return [note('warning', text)]
}
