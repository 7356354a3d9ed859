import type { RunResult } from '../../sync/run/run-types.ts'

/**
 * Returns the last night's runs with the counts of all nights. Rows that an earlier night inserted count as
 * new, although the last night found them unchanged.
 */
export function sumNights(nights: readonly (readonly RunResult[])[]): RunResult[] {
  return (nights.at(-1) ?? []).map((run) => {
    const runs = nights.flat().filter(({ job }) => job === run.job)
    const tables = Object.entries(run.tables).map(([name, counts]) => {
      const all = runs.flatMap((one) => one.tables[name] ?? [])
      const sum = (kind: 'inserted' | 'updated' | 'deleted'): number =>
        all.reduce((total, one) => total + one[kind], 0)
      const summed = {
        inserted: sum('inserted'),
        updated: sum('updated'),
        deleted: sum('deleted'),
        unchanged: all[0]?.unchanged ?? counts.unchanged,
      }
      return [name, { ...counts, ...summed }]
    })
    return { ...run, tables: Object.fromEntries(tables) }
  })
}
