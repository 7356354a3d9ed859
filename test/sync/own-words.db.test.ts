import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { READINGS } from '../../sandbox/readings/readings.ts'
import { jobs } from '../../src/account/catalog.ts'
import { desiredNumbers } from '../../src/apply/desired/numbers.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { Operation } from '../../src/core/define/operation.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { wordsOf } from '../../src/core/notifications/words.ts'
import { listSipGroups } from '../../src/resources/number-settings.ts'
import {
  addPeeringNumbers,
  listCarrierPeeringNumbers,
  listPeeringNumbers,
} from '../../src/resources/peering-numbers.ts'
import { listPhoneNumbers } from '../../src/resources/phone-numbers.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { applyBench, states, wanted } from '../apply/apply-bench.ts'
import { findDifferences } from '../helpers/differences.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'

const own = READINGS.words.variants.own.told?.adopt?.account ?? {}
const sizes = { ...TINY, numbers: 150 }
const OF_NUMBERS = jobs.filter(({ name }) => /number/.test(name))
const STREAMS = OF_NUMBERS.flatMap(({ streams }) => streams)

let world: World
let unnamed: World
beforeAll(async () => {
  const options = { sizes, readings: { words: 'own' } } as const
  world = await openWorld({ ...options, settings: own })
  unnamed = await openWorld(options)
})
afterAll(async () => {
  await world.close()
  await unnamed.close()
})

describe('a service with its own terms, named in the account’s settings', () => {
  it('is read in the documented terms, and its payloads stay unchanged', async () => {
    const runs = await world.sync({ jobs: OF_NUMBERS })
    expect(runs.flatMap(({ problems }) => problems)).toEqual([])
    expect(await untrue(world)).toEqual([])
    const { rows } = await sql<{ said: string; kept: string }>`
      select distinct source as said, _raw ->> 'source' as kept from svc.phone_numbers
      where source like 'Svc%' order by 1`.execute(world.warehouse.db)
    expect(rows).toEqual([
      { said: 'Svc', kept: 'Acme' },
      { said: 'SvcPorted', kept: 'AcmePorted' },
      { said: 'SvcReserved', kept: 'AcmeHeld' },
    ])
    const assigned = await sql<{ said: string; kept: string }>`
      select distinct assigned_to_type as said, _raw ->> 'assigned_to_type' as kept
      from svc.phone_number_assignments where assigned_to_type like 'Partner%'`.execute(
      world.warehouse.db,
    )
    expect(assigned.rows.length).toBeGreaterThan(0)
    for (const { said, kept } of assigned.rows)
      expect(said.replace('Partner', 'Harbour')).toBe(kept)
  })

  it('gets requests in its terms, and its responses are shown in the documented terms', async () => {
    const query = { number_source: 'SvcReserved', page_size: 200 }
    const { numbers } = await call(world, listPhoneNumbers, { query })
    const due = (await rowsOf(world.sandbox, 'phone_numbers')).filter(
      ({ source }) => source === 'SvcReserved',
    )
    expect(numbers.map(({ source }) => source)).toEqual(due.map(() => 'SvcReserved'))
    expect(due.length).toBeGreaterThan(0)
    const { numbers: peering } = await call(world, listCarrierPeeringNumbers, { query: {} })
    const [one] = peering
    const added = {
      phone_number: '+14155550177',
      sip_trunk_name: one?.sip_trunk_name,
      status: true,
      // Free text stays unchanged, whatever its words.
      service_info: 'SVC_PHONE',
      voice_msg_capacity: 'SVC_PHONE_USER_ONLY',
    }
    await call(
      world,
      addPeeringNumbers,
      {},
      { phone_numbers: [added], allocated_product: 'SVC_PHONE' },
    )
    const { numbers: after } = await call(world, listPeeringNumbers, {
      query: { phone_number: added.phone_number },
    })
    expect(after).toMatchObject([{ ...added, allocated_product: 'SVC_PHONE' }])
  })

  it('gets the changes of a YAML file, and its tracking ID is logged from its own header', async () => {
    const bench = applyBench(world)
    const free = (await rowsOf(world.sandbox, 'phone_numbers'))
      .filter((row) => row.allocated_product === 'UNALLOCATED')
      .slice(0, 2)
    const wishes = free.map(({ id }) => ({
      id: String(id),
      allocated_product: 'SVC_PHONE',
      site: 'Madrid office',
    }))
    const { settled } = await bench.apply([wanted(desiredNumbers, ...wishes)])
    expect(states(settled)).toEqual(['done', 'done'])
    const { rows } = await sql<{ body: unknown; named: boolean }>`
      select body -> 'allocated_product' as body, tracking_id like 'sbx_%' as named
      from callsheet.calls where operation = 'phone_numbers.allocate' limit 1`.execute(
      world.warehouse.db,
    )
    expect(rows).toEqual([{ body: 'SVC_PHONE', named: true }])
  })

  it('has its rows rewritten only when the setting changes', async () => {
    const job = { name: 'numbers-alone', streams: STREAMS.filter(needsNoWord) }
    const { warehouse } = world
    await sync(world, job)
    expect(written(await sync(world, job))).toEqual([])
    const before = await sync(world, job, { words: undefined })
    expect(written(before)).toContainEqual(expect.stringMatching(/^phone_numbers: 0 \d+ 0$/))
    const { rows } = await sql<{ product: string }>`
      select distinct allocated_product as product from svc.phone_numbers order by 1`.execute(
      warehouse.db,
    )
    expect(rows.map(({ product }) => product)).toContain('ACME_PHONE')
    expect(written(await sync(world, job, { words: undefined }))).toEqual([])
    expect(written(await sync(world, job)).length).toBeGreaterThan(0)
    expect(written(await sync(world, job))).toEqual([])
    await world.sync({ jobs: OF_NUMBERS, full: true })
    expect(await untrue(world)).toEqual([])
  })
})

describe('a service with its own terms, missing in the settings', () => {
  it('leaves the run incomplete and names the setting, even if no term was sent', async () => {
    for (const run of await unnamed.sync({ jobs: OF_NUMBERS })) {
      expect(run.state).toBe('incomplete')
      expect(run.problems.join('\n')).toContain('accounts[].words')
    }
    const job = { name: 'numbers-alone', streams: STREAMS.filter(needsNoWord) }
    const run = await sync(unnamed, job)
    expect(run?.problems.join('\n')).toMatch(
      /phone_numbers.*ACME_PHONE.*SVC_PHONE.*accounts\[\]\.words/,
    )
    expect(run?.state).toBe('incomplete')
    // The setting may declare that these are no such words.
    const named = await sync(unnamed, job, { words: wordsOf({ svc: 'svc' }) })
    expect(named).toMatchObject({ state: 'complete', problems: [] })
  })

  it('refuses queries and changes, naming the sent terms and the setting', async () => {
    const refused = call(unnamed, listSipGroups, { query: { allocated_product: 'SVC_PHONE' } })
    const todo = 'if the service uses another word for SVC_PHONE, set it in accounts[].words'
    await expect(refused).rejects.toThrow(ServiceError)
    await expect(refused).rejects.toMatchObject({ facts: { todo } })
    const [one] = await rowsOf(unnamed.sandbox, 'phone_numbers')
    const body = { allocated_product: 'SVC_CONTACT_CENTER', numbers: [String(one?.id)] }
    const [allocate] = desiredNumbers.writes
    await expect(call(unnamed, allocate!, {}, body)).rejects.toMatchObject({
      facts: { todo: todo.replace('SVC_PHONE', 'SVC_CONTACT_CENTER') },
    })
  })
})

/** Whether a list is requested without such a word. */
function needsNoWord({ name }: { name: string }): boolean {
  return name === 'phone_numbers' || name === 'phone_number_assignments'
}

async function untrue({ warehouse, sandbox }: World): Promise<string[]> {
  const scope = { account: 'account-0', streams: STREAMS }
  return (await findDifferences(warehouse, sandbox, scope)).differences
}

async function sync({ account }: World, job: Pick<Job, 'name' | 'streams'>, other: object = {}) {
  const { signal } = new AbortController()
  const [run] = await syncAccount(
    { ...account.deps, ...other },
    { account: 'account-0', jobs: [{ ...OF_NUMBERS[0]!, ...job }], full: true, signal },
  )
  return run
}

function written(run: Awaited<ReturnType<typeof sync>>): string[] {
  return Object.entries(run?.tables ?? {})
    .filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0)
    .map(([name, { inserted, updated, deleted }]) => `${name}: ${inserted} ${updated} ${deleted}`)
}

async function call(
  { account }: World,
  operation: Operation,
  ...[args, body]: [args: object, body?: unknown]
): Promise<{ numbers: Record<string, unknown>[] }> {
  const answer = await account.client.call(operation, args, { body })
  return answer.body as { numbers: Record<string, unknown>[] }
}
