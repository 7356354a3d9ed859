import type { Section } from '../../src/core/define/report.ts'
import { type Row, tableOf } from '../shared/query.ts'
import { type ActivityCounts, BOARD_COLUMNS, TYPE_COLUMNS } from '../whiteboard-audit/activities.ts'
import { asRead } from '../whiteboard-audit/as-read.ts'
import type { AuditSource } from '../whiteboard-audit/source.ts'

/** What the person did, by kind and by board; each activity counts once in both. */
export function doneSection(source: AuditSource, { byType, byBoard }: ActivityCounts): Section {
  const table = (title: string, all: typeof TYPE_COLUMNS, rows: readonly Row[]) => {
    const columns = all.filter(({ name }) => name !== 'outside' && name !== 'people')
    const empty = asRead(source, 'There is no activity.')
    return tableOf({ title, columns, empty }, rows)
  }
  return {
    title: 'Activities',
    blocks: [table('By type', TYPE_COLUMNS, byType), table('By board', BOARD_COLUMNS, byBoard)],
  }
}
