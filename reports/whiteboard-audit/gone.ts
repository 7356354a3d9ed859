import type { Note } from '../../src/core/define/report.ts'
import { note } from '../shared/blocks.ts'
import { countWhere } from '../shared/expressions.ts'
import { grouped } from '../shared/words.ts'
import type { AuditSource } from './source.ts'

/** What somebody had deleted at the service before its day, so that it is in the audit alone. */
export async function readGone({ db, sessions, period }: AuditSource): Promise<Note[]> {
  const { gone } = await db
    .selectFrom(sessions(period).as('s'))
    .select(({ eb }) => countWhere(eb('s.gone_at', 'is not', null)).as('gone'))
    .executeTakeFirstOrThrow()
  if (gone === 0) return []
  const text =
    gone === 1
      ? '1 session was deleted at the service before its archive expired. It is shown as it was last read.'
      : `${grouped(gone)} sessions were deleted at the service before their archives expired. They are ` +
        'shown as they were last read.'
  return [note('warning', text)]
}
