import type { Unacted } from '../../apply/desired/find-unacted.ts'
import type { UnactedEdit } from '../../apply/desired/unacted-edits.ts'
import { count } from '../../core/values/quantities.ts'
import { type Output } from '../frame/output.ts'

export function reportUnacted(output: Output, unacted: Unacted): void {
  if ('why' in unacted) {
    output.note(`Other edited cells cannot be listed: ${unacted.why}.`)
    return
  }
  if (unacted.edits.length === 0) return
  output.note('Edited but not applied:')
  for (const edit of unacted.edits) output.note(`  ${lineOf(edit)}`)
}

function lineOf({ sheet, column, what, count: number, rows }: UnactedEdit): string {
  const place = column === undefined ? sheet : `${sheet}, column ${column}`
  const more = number > rows.length ? ', ...' : ''
  const where =
    rows.length === 0 ? '' : ` (row${number === 1 ? '' : 's'} ${rows.join(', ')}${more})`
  if (what === 'column gone') return `${place}: the column is gone`
  if (what === 'lines gone')
    return `${place}: ${count(number)} lines are gone; they stay as they are`
  if (what === 'sheet added') return `${place}: a sheet that the report does not have`
  const things = column === undefined ? 'rows' : 'cells'
  const added = what === 'column added' ? ' of a column that the report does not have' : ''
  return `${place}: ${count(number)} ${number === 1 ? things.slice(0, -1) : things}${added}${where}`
}
