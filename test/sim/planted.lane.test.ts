import { afterAll, beforeAll, expect, test } from 'vitest'
import { WHOLE } from '../helpers/whole.ts'
import { PLANTED } from './planted.ts'
import { startPostgres } from './postgres.ts'
import { tryPlanted } from './try-planted.ts'

/**
 * A push plants one of each kind: in what is asked, in answers, tokens, pages and quotas, in what is written,
 * retried and fenced, in what a failure leaves, in what is called deleted and in what is read again.
 */
const ON_PUSH = new Set([
  'window-gap',
  'html-is-empty',
  'two-renewals',
  'empty-page-is-end',
  'retry-after-ignored',
  'ledger-before-rows',
  'retry-writes-half',
  'not-fenced',
  'half-list-is-whole',
  'gone-without-asking',
  'orphans-kept',
  'version-not-compared',
])
let server: Awaited<ReturnType<typeof startPostgres>>

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('a push plants only bugs from the list', () => {
  expect(Object.keys(PLANTED)).toEqual(expect.arrayContaining([...ON_PUSH]))
})

test.each(Object.keys(PLANTED).filter((name) => WHOLE || ON_PUSH.has(name)))(
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
