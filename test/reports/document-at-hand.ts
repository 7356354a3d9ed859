import { reports } from '../../src/account/catalog.ts'
import type { Block, Cell } from '../../src/core/define/report.ts'
import { rowBatches } from '../../src/report/files/row-batches.ts'
import { prepareReport } from '../../src/report/prepare-report.ts'
import { readParams } from '../../src/report/report-params.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'

export interface BlockAtHand {
  section: string
  /** The number of the section, and of the block in it (`at`), both from 1. */
  number: number
  at: number
  block: Block
  /** All rows of a table, streamed or not. */
  rows: (readonly Cell[])[]
}

/** The blocks of a report with all their rows, before rendering. */
export async function documentAtHand(
  warehouse: Warehouse,
  wanted: { name: string; account: string; params: Record<string, unknown>; timeZone: string },
): Promise<BlockAtHand[]> {
  const report = reports.find(({ name }) => name === wanted.name)
  if (report === undefined) throw new Error(`There is no report ${wanted.name}`)
  const params = readParams({ ...wanted, report })
  return await warehouse.transaction(
    async (tx) => {
      const { document } = await prepareReport(tx, { ...wanted, report, params })
      const blocks: BlockAtHand[] = []
      for (const [number, { title: section, blocks: inside }] of document.sections.entries())
        for (const [at, block] of inside.entries()) {
          const rows: (readonly Cell[])[] = []
          if (block.kind === 'table')
            for await (const batch of rowBatches(block.rows)) rows.push(...batch)
          blocks.push({ section, number: number + 1, at: at + 1, block, rows })
        }
      return blocks
    },
    { snapshot: true, keeps: true },
  )
}
