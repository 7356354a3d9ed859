import type { Cell, TableColumn } from '../../core/define/report.ts'
import { isNumeric } from '../files/browser/format-cell.js'
import { looksLikeFormula } from '../files/looks-like-formula.ts'
import type { CellToWrite } from './xlsx-rows.ts'
import * as styles from './xlsx-styles.ts'
import { changeValue, excelValue } from './xlsx-value.ts'

export type CellLook = Pick<TableColumn, 'format' | 'tint' | 'editable'>

/** Returns a cell of a table's row. */
export function bodyCell(value: Cell, { format, tint, editable }: CellLook): CellToWrite {
  const changes = tint === 'delta' || tint === 'change'
  const shown = changes && typeof value === 'number' ? changeValue(value, format) : value
  const stored = excelValue(shown, format)
  const style =
    changes && format !== 'seconds'
      ? styles.changeStyle(format, 'none')
      : typeof stored === 'string'
        ? textStyle(String(value), format)
        : styles.bodyStyle(format)
  return { value: stored, style: editable === undefined ? style : styles.editableStyle(style) }
}

/** Text in a column of numbers (more digits than a double has, “too few”) must stay text. */
function textStyle(text: string, format: TableColumn['format']): styles.CellStyle {
  if (looksLikeFormula(text)) return styles.bodyStyle('text')
  return isNumeric(format) ? styles.figureStyle('text') : styles.bodyStyle(format)
}
