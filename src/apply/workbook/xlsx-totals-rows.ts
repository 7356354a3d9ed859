import type { XlsxParts } from './xlsx-parts.ts'

/** Returns the totals rows of a sheet's tables, which look like lines but are not. */
export async function readTotalsRows(parts: XlsxParts, sheet: string): Promise<Set<number>> {
  const totals = new Set<number>()
  for (const { kind, target } of await parts.related(sheet)) {
    if (kind !== 'table' || !parts.has(target)) continue
    await parts.read(target, {
      open(element, { ref = '', totalsRowCount = '0' }) {
        if (element !== 'table') return
        // Programs write at most one totals row.
        if (Number(totalsRowCount) > 0) totals.add(Number(/(\d+)$/.exec(ref)?.[1]))
      },
    })
  }
  return totals
}
