import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { itemsOf } from '../../src/core/define/operation.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import type { WireRecord } from '../../src/core/values/json.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import type { Asked, Told } from '../cli/altering-proxy.ts'
import { remakeAllStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const FAN_OUTS = jobs.flatMap((job) =>
  job.streams
    .filter(({ sync }) => sync.kind === 'fan-out')
    .map((stream) => ({ name: stream.name, job, stream, pattern: patternOf(stream) })),
)
type FanOut = (typeof FAN_OUTS)[number]

let world: World
/** By stream, the parents with records in their lists. */
const whole = new Map<string, Set<string>>()
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  for (const { name } of FAN_OUTS) whole.set(name, new Set())
  world.ways.tell = (asked, told) => {
    for (const one of FAN_OUTS) note(one, { asked, told }, whole.get(one.name))
  }
  await world.sync()
})
afterAll(() => world.close())

/** Ends the read once `most` lists of a stream were answered. */
type Break = (told: Told, stop: AbortController) => void
const BREAKS: Record<string, Break> = {
  'a failure': (told) => Object.assign(told, { status: 500, body: { code: 500 } }),
  'a stop': (_told, stop) => stop.abort(new Error('stopped')),
}

describe.each(Object.entries(BREAKS))('%s in the middle of a job', (how, breakOff) => {
  it.each(FAN_OUTS)('keeps the rows of $name that were received before', async (fanOut) => {
    const all = whole.get(fanOut.name)?.size ?? 0
    expect(all, 'lists with something in them').toBeGreaterThan(1)
    await forget(fanOut.stream)
    const most = how === 'a stop' ? all - 1 : Math.ceil(all / 2)
    const came = await readUntil(fanOut, { most, breakOff })
    expect(came).toBeGreaterThanOrEqual(most)
    // Lists in progress at the stop may be unread.
    const late = how === 'a stop' ? UNDER_WAY : 0
    const held = await heldOf(fanOut.stream)
    expect(held).toBeGreaterThanOrEqual(came - late)
    expect(held).toBeLessThanOrEqual(came)
  })
})

/** Reads the job until `most` lists were answered, then breaks off. Returns how many were answered. */
async function readUntil(
  fanOut: FanOut,
  { most, breakOff }: { most: number; breakOff: Break },
): Promise<number> {
  const stop = new AbortController()
  const came = new Set<string>()
  world.ways.tell = (asked, told) => {
    if (came.size < most) note(fanOut, { asked, told }, came)
    else if (fanOut.pattern.test(pathOf(asked))) breakOff(told, stop)
  }
  const work = { account: 'account-0', jobs: [fanOut.job], full: true, signal: stop.signal }
  await syncAccount(world.account.deps, work).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return came.size
}

function note(
  { stream, pattern }: FanOut,
  { asked, told }: { asked: Asked; told: Told },
  into: Set<string> | undefined,
): void {
  const [, parent] = pattern.exec(pathOf(asked)) ?? []
  if (parent === undefined || told.status !== 200) return
  const items = itemsOf(stream.operation)
  const records = items === undefined ? [told.body] : (told.body as WireRecord)[items]
  if (Array.isArray(records) && records.length > 0) into?.add(parent)
}

function patternOf({ operation }: Stream): RegExp {
  return new RegExp(`^/v2${operation.path.replace(/\{\w+\}/g, '([^/]+)')}$`)
}

function pathOf({ path }: Asked): string {
  return path.split('?')[0] ?? ''
}

async function heldOf({ name, key }: Stream): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct ${sql.ref(key[0] as string)})::int as n from ${sql.id('svc', name)}`.execute(
    world.warehouse.db,
  )
  return rows[0]?.n ?? 0
}

async function forget({ name }: Stream): Promise<void> {
  await sql`delete from ${sql.id('svc', name)}`.execute(world.warehouse.db)
  await sql`delete from callsheet.slices where stream = ${name}`.execute(world.warehouse.db)
  await remakeAllStates(world.warehouse.db)
}

const UNDER_WAY = 8
