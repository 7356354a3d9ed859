import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from '../../src/resources/users.ts'
import { previewStream } from '../../src/sync/preview-stream.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeAll(async () => void (world = await openWorld({ sizes: TINY, altered: true })))
afterAll(() => world.close())

test('a preview names unknown fields, unknown values, broken values and unusable records', async () => {
  world.ways.tell = ({ path }, { body }) => {
    if (!path.endsWith('/users')) return
    const [first, second] = (body as { users: Record<string, unknown>[] }).users
    Object.assign(first ?? {}, { shoe_size: 42, status: 'asleep', created_at: 'soon' })
    Object.assign(second ?? {}, { id: { odd: true } })
  }
  const signal = new AbortController().signal
  const { rows, drift, unusable } = await previewStream(world.account.deps, users, signal)
  expect([rows.length, unusable]).toEqual([9, 1])
  expect(rows[0]?.[Object.keys(users.columns).indexOf('created_at')]).toBeNull()
  expect(drift).toEqual(
    expect.arrayContaining([
      { kind: 'unknown_field', path: 'shoe_size', example: 'number' },
      { kind: 'unknown_value', path: 'status', example: 'asleep' },
      { kind: 'broken_value', path: 'created_at', example: 'string' },
    ]),
  )
})
