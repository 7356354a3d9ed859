import type { Note, ReportContext } from '../../../src/core/define/report.ts'
import { count } from '../../../src/core/values/quantities.ts'
import { whiteboards } from '../../../src/resources/whiteboards.ts'
import { neverRead, note } from '../../shared/blocks.ts'
import { countWhere } from '../../shared/expressions.ts'
import { instantOf } from '../../shared/local-time.ts'
import type { AuditSource } from '../source.ts'
import type { Base } from './base.ts'

/** How many boards disappeared, in the period and in the days before. */
export interface BoardsGone {
  now: number
  before: number
}

/** Counts the boards that disappeared; undefined if the list of boards was never read. */
export async function readBoardsGone(
  { goneRows }: Pick<ReportContext<unknown, typeof whiteboards>, 'goneRows'>,
  { db, runId, period }: AuditSource,
  base: Base,
): Promise<BoardsGone | undefined> {
  if (runId(whiteboards) === undefined) return undefined
  const [first, end] = [instantOf(period.fromMs), instantOf(period.toMs)] as const
  return await db
    .selectFrom(goneRows(whiteboards).as('b'))
    .select(({ eb }) => [
      countWhere(eb('b.gone_at', '>=', first)).as('now'),
      countWhere(eb('b.gone_at', '<', first)).as('before'),
    ])
    .where('b.gone_at', '>=', instantOf(base.period.fromMs))
    .where('b.gone_at', '<', end)
    .executeTakeFirstOrThrow()
}

/**
 * Reports deleted boards without a statistical test: the list of boards shows neither who deleted a board nor
 * when, and the day of the finding depends on how often the list is read.
 */
export function boardsGoneNote(
  { period }: AuditSource,
  gone: BoardsGone | undefined,
  { days }: Base,
): Note {
  if (gone === undefined)
    return note(
      'warning',
      neverRead('The list of boards was', {
        job: 'whiteboards',
        so: 'it is unknown whether boards were deleted',
      }),
    )
  const text =
    `In ${period.label}, ${goneText(gone)} found to be deleted, and ${count(gone.before)} in ` +
    `the ${days.length} days before. The service does not report who deleted a board or when, ` +
    'so this is not tested.'
  return note('plain', text)
}

export function goneText({ now }: BoardsGone): string {
  if (now === 0) return 'no whole board was'
  return `${count(now)} whole ${now === 1 ? 'board was' : 'boards were'}`
}
