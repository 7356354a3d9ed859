import { unreadable, type XlsxParts } from './xlsx-parts.ts'

/** The parts of a workbook from which its cells are read. */
export interface BookParts {
  /** In tab order, including hidden sheets. */
  sheets: readonly { name: string; part: string }[]
  sharedTexts: string | undefined
}

export async function readBookParts(parts: XlsxParts): Promise<BookParts> {
  const book = (await parts.related('')).find(({ kind }) => kind === 'officeDocument')?.target
  if (book === undefined) throw unreadable(parts.path, 'the zip file contains no workbook')
  if (!book.endsWith('.xml')) throw unreadable(parts.path, 'the workbook has another format')
  const related = await parts.related(book)
  const byId = new Map(related.map((relationship) => [relationship.id, relationship]))
  const sheets: BookParts['sheets'][number][] = []
  let count = 0
  let isBook = false
  const handler = {
    open(element: string, attributes: Readonly<Record<string, string>>) {
      if (element === 'workbook') isBook = true
      if (element !== 'sheet') return
      const id = Object.entries(attributes).find(([name]) => /^\w+:id$/.test(name))?.[1]
      const sheet = byId.get(id ?? '')
      if (++count > MOST_SHEETS) throw new Error(`more than ${MOST_SHEETS} sheets`)
      // Sheets that consist of one chart or a macro have no cells.
      if (sheet?.kind === 'worksheet')
        sheets.push({ name: attributes.name ?? '', part: sheet.target })
    },
  }
  await parts.read(book, handler)
  if (!isBook) throw unreadable(parts.path, 'the document is not a workbook')
  const sharedTexts = related.find(({ kind }) => kind === 'sharedStrings')?.target
  return { sheets, sharedTexts }
}

/** The maximum number of sheets: a table of a hundred million rows needs only a hundred. */
const MOST_SHEETS = 1_000
