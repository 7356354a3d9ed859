import { afterAll, beforeAll, expect, test } from 'vitest'
import { PLANTED } from './planted.ts'
import { startPostgres } from './postgres.ts'
import { tryPlanted } from './try-planted.ts'

let server: Awaited<ReturnType<typeof startPostgres>>

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test.each(Object.keys(PLANTED))(
  'the planted bug %s is found',
  { timeout: 300_000 },
  async (name) => {
    const order = { serverUrl: server.url, workers: 1, most: PLANTED_SEEDS }
    const [result] = await tryPlanted({ ...order, only: [name], known: true })
    expect(result?.caughtBy, `in ${result?.tried ?? 0} seeds`).toBeDefined()
  },
)

/** Where what is known to show a bug no longer does, so many others are tried. */
const PLANTED_SEEDS = 80
