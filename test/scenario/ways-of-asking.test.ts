import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import type { Readings } from '../../sandbox/readings/readings.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const job = {
  ...numberSettings,
  streams: numberSettings.streams.filter(({ name }) => name === 'sip_trunks'),
}
let world: World
afterEach(() => world.close())

const open = async (trunkProduct: Readings['trunkProduct']): Promise<void> => {
  world = await openWorld({
    sizes: { ...TINY, trunks: 25 },
    readings: { trunkProduct },
    altered: true,
  })
}

/** Refuses the lists of these products; `null` is the list without a product. */
function refuse(...products: (string | null)[]): void {
  world.ways.tell = (asked, told) => {
    if (!asked.path.endsWith('/sip_trunks')) return
    if (!products.includes(asked.query.get('allocated_product'))) return
    Object.assign(told, { status: 400, body: { code: 300, message: 'Not now.' } })
  }
}

test('the rows of a product are not deleted if only the list of this product is refused', async () => {
  await open('first-only')
  expect((await sync()).state).toBe('complete')
  const before = await held()
  refuse('SVC_CONTACT_CENTER')
  const run = await sync()
  expect(run.state).toBe('incomplete')
  expect(run.tables.sip_trunks).toMatchObject({ deleted: 0 })
  expect(await held()).toBe(before)
})

test('a list fails if every form of its request is refused', async () => {
  await open('optional')
  refuse(null, 'SVC_PHONE', 'SVC_CONTACT_CENTER')
  const run = await sync()
  expect(run.state).toBe('incomplete')
  expect(run.problems.join('\n')).toMatch(/sip_trunks all: .*HTTP 400/)
})

async function sync(): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full: true })
  if (result === undefined) throw new Error('there was no run')
  return result
}

async function held(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from svc.sip_trunks where _deleted_at is null`.execute(
    world.warehouse.db,
  )
  return rows[0]?.n ?? 0
}
