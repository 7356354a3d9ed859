import { Pool } from 'undici'
import { itemsOf } from '../src/core/define/operation.ts'
import { serveOrder } from './child.ts'
import { type Source, sources } from './sources.ts'
import { type Spent, spend } from './spent.ts'
import { tokenChain } from './token-chain.ts'

export interface DrainOrder {
  url: string
  source: string
  /** The first request of each token chain. */
  paths: readonly string[]
}

/**
 * What merely reading costs: the same token chains, parsed, and nothing stored. The ceiling for a reading.
 */
async function drain({ url, source, paths }: DrainOrder): Promise<Spent> {
  const items = itemsOf((sources[source] as Source).stream.operation) ?? ''
  const pool = new Pool(url, { connections: 1, pipelining: 1 })
  const spent = await spend(async () => {
    let pages = 0
    let rows = 0
    for (const path of paths) {
      for await (const records of tokenChain(pool, { path, items })) {
        pages++
        rows += records.length
      }
    }
    return { rows, pages }
  })
  await pool.close()
  return spent
}

await serveOrder(drain)
