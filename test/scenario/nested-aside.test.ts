import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import phoneNumbersJob from '../../jobs/phone-numbers.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import type { Job } from '../../src/core/define/job.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** The service returns some nested records that are unusable. */
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

test('an invalid nested list deletes none of its rows, and is reported until it is valid', async () => {
  const first = await sync(phoneNumbersJob)
  const { present = 0 } = first.tables.phone_number_assignments ?? {}
  expect(present).toBeGreaterThan(5)
  alter('numbers', (number) => ({ ...number, assigned_list: 7 }))
  await world.mutate({ ops: [{ kind: 'numbers', action: 'remove', index: 0 }] })
  for (const deleted of [1, 0]) {
    const night = await sync(phoneNumbersJob)
    expect(night.state).toBe('incomplete')
    expect(night.problems.join()).toMatch(
      /phone_number_assignments: 19 unusable records were quarantined/,
    )
    expect(night.tables.phone_numbers).toMatchObject({ deleted, quarantined: 0 })
    expect(night.tables.phone_number_assignments).toMatchObject({ quarantined: TINY.numbers - 1 })
    expect(await lastWords('phone_numbers')).toEqual([
      { state: 'complete', checked: false, quarantined: TINY.numbers - 1 },
    ])
  }
  // Only the assignments of the deleted number were deleted.
  const { rows } = await sql<{ astray: number }>`
    select count(*)::int as astray from svc.phone_number_assignments a
    join svc.phone_numbers n on n.account = a.account and n.id = a.phone_number_id
    where (a._deleted_at is null) <> (n._deleted_at is null)`.execute(world.warehouse.db)
  expect(rows).toEqual([{ astray: 0 }])
  delete world.ways.tell
  await sync(phoneNumbersJob)
  expect(await lastWords('phone_numbers')).toEqual([
    { state: 'complete', checked: true, quarantined: 0 },
  ])
  await equalsService(phoneNumbersJob)
})

test('the other participants of a session are stored if one has no usable key', async () => {
  const first = await sync(whiteboardArchives)
  const before = await participants()
  alter('sessions', (session) => {
    const [one, ...others] = session.regulated_participants as object[]
    return {
      ...session,
      regulated_participants: [{ ...one, user_name: 'x'.repeat(600) }, ...others],
    }
  })
  const night = await sync(whiteboardArchives, true)
  const { present = 0 } = first.tables.whiteboard_sessions ?? {}
  expect(night.tables.whiteboard_participants).toMatchObject({ deleted: 0, quarantined: present })
  expect(await participants()).toEqual(before)
  const aside = (await lastWords('whiteboard_sessions')).filter(
    ({ quarantined }) => quarantined > 0,
  )
  expect(aside.reduce((sum, { quarantined }) => sum + quarantined, 0)).toBe(present)
  expect(aside.some(({ checked }) => checked)).toBe(false)
  // Rows that were kept beside a quarantined part do not look like changes by somebody else.
  expect((await verify()).findings).toEqual([])
  const written = await sync(whiteboardArchives)
  expect(written.slices.whiteboard_sessions?.planned).toBeGreaterThanOrEqual(aside.length)
  expect(written.tables.whiteboard_sessions).toMatchObject({ inserted: 0, updated: 0 })
  delete world.ways.tell
  await sync(whiteboardArchives)
  expect((await lastWords('whiteboard_sessions')).every(({ checked }) => checked)).toBe(true)
  await equalsService(whiteboardArchives)
})

async function sync(job: Job, full = false): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  if (result === undefined) throw new Error('No run')
  return result
}

async function equalsService({ streams }: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}

/** From now on, changes each record in lists of this name. */
function alter(items: string, change: (record: Record<string, unknown>) => object): void {
  world.ways.tell = (_asked, { body }) => {
    const page = body as Record<string, Record<string, unknown>[] | undefined>
    if (page[items] !== undefined) Object.assign(page, { [items]: page[items].map(change) })
  }
}

async function participants(): Promise<unknown[]> {
  const { rows } = await sql`select session_id, user_id, user_name, join_whiteboard_time, ordinal
    from svc.whiteboard_participants where _deleted_at is null
    order by 1, 2, 3, 4, 5`.execute(world.warehouse.db)
  return rows
}

const verify = () =>
  verifyEvidence(
    { warehouse: world.warehouse },
    {
      account: 'account-0',
      store: createDirectoryStore(join(dirname(world.place.configFile), 'archive', 'account-0')),
      streams: whiteboardArchives.streams,
      signal: new AbortController().signal,
      keys: [],
      keyPinned: false,
    },
  )

async function lastWords(stream: string) {
  const { rows } = await sql<{ state: string; checked: boolean; quarantined: number }>`
    select distinct on (slice) state, checked, quarantined from callsheet.slices
    where stream = ${stream} order by slice, run_id desc`.execute(world.warehouse.db)
  return rows
}
