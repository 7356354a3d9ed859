import type { XlsxParts } from './xlsx-parts.ts'

/** The rows of a sheet in which a program sums a table up: they look like lines, and are none. */
export async function readTotalsRows(parts: XlsxParts, sheet: string): Promise<Set<number>> {
  const totals = new Set<number>()
  for (const { kind, target } of await parts.related(sheet)) {
    if (kind !== 'table' || !parts.has(target)) continue
    await parts.read(target, {
      open(element, { ref = '', totalsRowCount = '0' }) {
        if (element !== 'table') return
        // Programs make one such row, and no more.
        if (Number(totalsRowCount) > 0) totals.add(Number(/(\d+)$/.exec(ref)?.[1]))
      },
    })
  }
  return totals
}
