import type { AccountRows, TextRow } from '../../core/define/desired.ts'
import { phoneNumbers } from '../../resources/phone-numbers.ts'

/** A number's ID, or its digits as they are dialed. */
export interface NumberName {
  id?: string | undefined
  number?: string | undefined
}

/** Normalizes a typed number. Spreadsheets read +14155550100 as a quantity and drop the plus. */
export function typedNumber(text: string): string {
  const bare = text.replace(/[\s()-]/g, '')
  return /^[1-9]\d{6,14}$/.test(bare) ? `+${bare}` : /^\+\d+$/.test(bare) ? bare : text
}

/** The number that matches, or the reason why not exactly one does. */
export type FoundNumber = { row: TextRow } | { why: string }

/** Reads the named numbers, and returns a function that finds one of them by its name. */
export async function findNumbers(
  names: readonly NumberName[],
  { rows }: AccountRows,
  columns: readonly string[],
): Promise<(name: NumberName) => FoundNumber> {
  const wanted = [...new Set(['id', 'number', ...columns])]
  const read = async (column: 'id' | 'number', values: readonly (string | undefined)[]) => {
    const known = [...new Set(values.flatMap((value) => value ?? []))]
    if (known.length === 0) return []
    return await rows({ stream: phoneNumbers, columns: wanted, by: { column, values: known } })
  }
  const ids = await read(
    'id',
    names.map(({ id }) => id),
  )
  const byId = new Map(ids.map((row) => [row.id, row]))
  const byNumber = Map.groupBy(
    await read(
      'number',
      names.map(({ id, number }) => (id === undefined ? number : undefined)),
    ),
    (row) => row.number,
  )
  return ({ id, number }) => {
    if (id !== undefined) return foundOne(byId.get(id))
    const [first, ...more] = byNumber.get(number ?? '') ?? []
    return more.length === 0
      ? foundOne(first)
      : { why: `the account has ${more.length + 1} of this number: name it by its id` }
  }
}

function foundOne(row: TextRow | undefined): FoundNumber {
  return row === undefined ? { why: 'the account has no such number' } : { row }
}
