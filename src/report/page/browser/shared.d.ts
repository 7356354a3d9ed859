import type * as shared from '../../files/browser/format-cell.js'

/** The functions of `format-cell.js`, which come before these files in the script of a page. */
declare global {
  const cellLook: typeof shared.cellLook
  const formatCell: typeof shared.formatCell
  const formatChange: typeof shared.formatChange
  const formatClass: typeof shared.formatClass
  const grouped: typeof shared.grouped
  const isNumeric: typeof shared.isNumeric
}
