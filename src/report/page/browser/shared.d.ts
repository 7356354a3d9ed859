import type * as shared from '../../files/browser/format-cell.js'

/** The functions of `format-cell.js`, which a page's script contains before the files of this folder. */
declare global {
  const cellLook: typeof shared.cellLook
  const formatCell: typeof shared.formatCell
  const formatChange: typeof shared.formatChange
  const formatClass: typeof shared.formatClass
  const grouped: typeof shared.grouped
  const isNumeric: typeof shared.isNumeric
}
