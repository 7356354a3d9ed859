import { readBookParts } from './xlsx-book-parts.ts'
import { readNumberKinds } from './xlsx-number-kinds.ts'
import { openParts } from './xlsx-parts.ts'
import { readSharedTexts } from './xlsx-shared-texts.ts'
import { readSheetRows } from './xlsx-sheet-rows.ts'

export interface AnyRow {
  sheet: string
  /** The row's number in the sheet, from 1. */
  row: number
  /** The cells with content, by column from 0. */
  cells: ReadonlyMap<number, string>
}

/** Yields the rows of all sheets, including hidden ones, in the workbook's order. */
export async function* readAllRows(path: string): AsyncGenerator<AnyRow> {
  const parts = await openParts(path)
  try {
    const { sheets, sharedTexts, styles, date1904 } = await readBookParts(parts)
    const kinds = await readNumberKinds(parts, styles)
    const facts = { texts: await readSharedTexts(parts, sharedTexts), kinds, date1904 }
    for (const { name, part } of sheets)
      for await (const { row, cells } of readSheetRows(parts, part, facts))
        yield { sheet: name, row, cells }
  } finally {
    parts.close()
  }
}
