import { ORIGIN_NAMES, type Origin, PROVENANCE } from '../../report/xlsx/xlsx-origin.ts'
import { readBookParts } from './xlsx-book-parts.ts'
import { openParts, type XlsxParts } from './xlsx-parts.ts'
import { readSharedTexts } from './xlsx-shared-texts.ts'
import { readSheetRows } from './xlsx-sheet-rows.ts'

/** Returns the workbook's origin from its sheet Provenance; undefined if the sheet lacks a required value. */
export async function readOrigin(path: string): Promise<Origin | undefined> {
  const parts = await openParts(path)
  try {
    return originOf(await originLines(parts))
  } finally {
    parts.close()
  }
}

/** Returns the sheet's values of the origin by their names; empty if there is no such sheet. */
async function originLines(parts: XlsxParts): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const { sheets, sharedTexts } = await readBookParts(parts)
  const part = sheets.find(({ name }) => name === PROVENANCE)?.part
  if (part === undefined) return found
  const texts = await readSharedTexts(parts, sharedTexts)
  for await (const { cells } of readSheetRows(parts, part, texts)) {
    const [name, text] = [cells.get(0) ?? '', cells.get(1)]
    if (NAMES.has(name) && text !== undefined) found.set(name, (found.get(name) ?? '') + text)
  }
  return found
}

/** Returns the origin; undefined if a required value is missing or unreadable. */
function originOf(texts: ReadonlyMap<string, string>): Origin | undefined {
  const [report, account, asOf, owner] = ORIGIN_NAMES.map((name) => texts.get(name))
  const asOfMs = Date.parse(asOf ?? '')
  if (report === undefined || account === undefined || Number.isNaN(asOfMs)) return undefined
  return { report, account, asOfMs, ...(owner === undefined ? {} : { owner }) }
}

const NAMES: ReadonlySet<string> = new Set(ORIGIN_NAMES)
