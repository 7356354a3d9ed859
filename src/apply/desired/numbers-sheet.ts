import type { Placed, SheetForm, SheetLine, TextRow } from '../../core/define/desired.ts'
import { ALLOCATIONS } from '../../core/define/word-fields.ts'
import { codeWords } from '../../core/values/code-words.ts'
import { phoneNumbers } from '../../resources/phone-numbers.ts'
import { typedNumber } from './find-numbers.ts'
import type { NumberWish } from './number-wish.ts'

/** Reads the number inventory's list: cells that differ from the original inventory. */
export const numbersSheet: SheetForm<NumberWish> = {
  name: 'All numbers',
  columns: ['Number', 'Product', 'Site', 'ID'],
  reader: (base) => ({
    async take(lines) {
      const shown = await base.rows({
        stream: phoneNumbers,
        columns: ['id', 'allocated_product', 'site_name'],
        by: { column: 'id', values: lines.map(({ cells }) => cells.ID ?? '') },
      })
      const byId = new Map(shown.map((row) => [row.id, row]))
      return lines.flatMap((line) => edited(line, byId.get(line.cells.ID ?? '')))
    },
    end: () => Promise.resolve([]),
  }),
}

/** Returns the edits of a line. A line that the inventory did not have is wanted as a whole. */
function edited(line: SheetLine, row: TextRow | undefined): Placed<NumberWish>[] {
  if (row === undefined) return asWritten(line)
  const { Product: product = '', Site: site = '', ID: id } = line.cells
  const was = {
    allocated_product: row.allocated_product ?? null,
    site_name: row.site_name ?? null,
  }
  // The inventory shows words even for codes that are not known here.
  const same = codeWords(product) === codeWords(was.allocated_product ?? '')
  const wish: NumberWish = {
    id,
    was,
    ...(same ? {} : { allocated_product: codeOf(product) }),
    ...(site === (was.site_name ?? '') ? {} : { site }),
  }
  return wish.allocated_product === undefined && wish.site === undefined
    ? []
    : [{ place: line.place, entry: wish }]
}

function asWritten({ place, cells }: SheetLine): Placed<NumberWish>[] {
  const { Number: number = '', Product: product = '', Site: site = '', ID: id = '' } = cells
  const given = (text: string): string | undefined => (text === '' ? undefined : text)
  const wish = {
    id: given(id),
    number: given(typedNumber(number)),
    allocated_product: given(codeOf(product)),
    site: given(site),
  }
  return product === '' && site === '' ? [] : [{ place, entry: wish }]
}

/** Returns the code of a product that is given in words; other text stays as it is. */
function codeOf(product: string): string {
  return ALLOCATIONS.find((code) => codeWords(code) === product) ?? product
}
