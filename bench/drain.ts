import { Pool } from 'undici'
import { serveOrder } from './child.ts'
import type { Window } from './pages-server.ts'
import { tokenChain } from './token-chain.ts'

export interface DrainOrder {
  url: string
  windows: readonly Window[]
}

export interface Drained {
  wallMs: number
  pages: number
  rows: number
}

/**
 * What merely reading costs: the same token chains, parsed, and nothing stored. The ceiling for a reading.
 */
async function drain({ url, windows }: DrainOrder): Promise<Drained> {
  const pool = new Pool(url, { connections: 1, pipelining: 1 })
  const startedMs = performance.now()
  let pages = 0
  let rows = 0
  for (const window of windows) {
    for await (const records of tokenChain(pool, window)) {
      pages++
      rows += records.length
    }
  }
  const wallMs = performance.now() - startedMs
  await pool.close()
  return { wallMs, pages, rows }
}

await serveOrder(drain)
