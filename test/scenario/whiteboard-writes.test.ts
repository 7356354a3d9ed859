import { afterEach, beforeEach, expect, test } from 'vitest'
import job from '../../jobs/whiteboards.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { type Caller, oauthCaller } from '../sandbox/caller.ts'
import { asked, boardWith } from '../sandbox/with-caller.ts'

const MINUTE_MS = 60_000
const LABELS = '/whiteboards/classification_labels'

let world: World
let caller: Caller
beforeEach(async () => {
  // The writes use another app of the same account, so that its tokens end none of the sync's.
  const accounts = [{ accountId: 'one' }, { accountId: 'one' }]
  world = await openWorld({ sizes: { ...TINY, whiteboards: 60 }, accounts })
  caller = await oauthCaller(world.sandbox, 1)
})
afterEach(() => world.close())

test('after writes of every kind a full sync equals the service', async () => {
  const [first, second] = [await open(2), await open(5)]
  await run(true)
  await world.advance(MINUTE_MS)
  await writeLabels(first, second)
  await writePeople(first, second)
  await writeContent(first, second)
  const found = await run(true)
  const { tables } = found
  expect(tables.classification_labels).toMatchObject({ inserted: 1, deleted: 1 })
  expect(tables.whiteboard_collaborators).toMatchObject({ inserted: 3, deleted: 1 })
  expect(tables.whiteboard_collaborators?.updated).toBeGreaterThan(1)
  expect(tables.whiteboard_content).toMatchObject({ inserted: 0, updated: 2, deleted: 0 })
  expect(tables.whiteboards).toMatchObject({ inserted: 0, updated: 2, deleted: 0 })
  await equalsService()
})

test('saved content is found by the board’s date, without a call for any other board', async () => {
  const board = await open(2)
  await run(true)
  await equalsService()
  await world.advance(MINUTE_MS)
  await send('POST', `/whiteboards/${board}/content`, { content_objects: [{ text: 'New' }] }, 201)
  await world.advance(MINUTE_MS)
  const before = world.sandbox.stats().operations['whiteboard_content.get'] ?? 0
  const { tables } = await run(false)
  expect(tables.whiteboards).toMatchObject({ inserted: 0, updated: 1, deleted: 0 })
  expect(tables.whiteboard_content).toMatchObject({ inserted: 0, updated: 1, deleted: 0 })
  expect(world.sandbox.stats().operations['whiteboard_content.get']).toBe(before + 1)
  await equalsService()
})

/** Creates, changes, publishes and deletes labels; puts one on a board and removes one from another. */
async function writeLabels(first: string, second: string): Promise<void> {
  const { body } = await caller.get(LABELS)
  const ids = (body.labels as { classification_id: string; is_default: boolean }[])
    .filter(({ is_default }) => !is_default)
    .map(({ classification_id: id }) => id)
  const label = { name: 'Ours', color: '#1A9C4B', sensitivity_level: 3, is_default: true }
  const made = await send('POST', LABELS, label, 201)
  const usable = []
  for (const id of ids) {
    const { status } = await caller.send('PATCH', `${LABELS}/${id}`, { name: `Now ${id}` })
    if (status === 204) usable.push(id)
  }
  await asked(world.sandbox, 'POST', 'publish-labels')
  await send('PATCH', `${LABELS}/${usable[1] ?? ''}`, { description: 'A draft' }, 204)
  const { classification_id } = made.body
  await send('PUT', `/whiteboards/${first}/classification`, { classification_id }, 204)
  await send('DELETE', `/whiteboards/${second}/classification`, undefined, 204)
  await send('DELETE', `${LABELS}/${usable[0] ?? ''}`, undefined, 204)
}

/** Adds three people to one board; gives the other a new owner and removes the previous one. */
async function writePeople(first: string, second: string): Promise<void> {
  const all = (board: string) => `/whiteboards/${board}/collaborator`
  const collaborators = [
    { email: 'a@far.example', role: 2 },
    { email: 'b@far.example', role: 3 },
    { channel_id: 'ch-sales', role: 4 },
  ]
  await send('POST', all(first), { collaborators }, 201)
  const people = (await caller.get(all(second))).body as unknown as {
    collaborator_id: string
    collaborator_type: number
    role: number
  }[]
  const [owner, heir, other] = people.filter(({ collaborator_type: type }) => type === 0)
  const roles = [
    { collaborator_id: heir?.collaborator_id, role: 0 },
    { collaborator_id: other?.collaborator_id, role: other?.role === 3 ? 4 : 3 },
  ]
  await send('PATCH', all(second), { collaborators: roles }, 204)
  await send('DELETE', `${all(second)}/${owner?.collaborator_id ?? ''}`, undefined, 204)
}

async function writeContent(first: string, second: string): Promise<void> {
  const page = (board: string) => `/whiteboards/${board}/content`
  const { body } = await caller.get(page(first))
  const [object, another] = body.content_objects as { id: string }[]
  const content_objects = [
    { type: 'text', text: 'New' },
    { id: object?.id, text: 'Changed' },
  ]
  await send('POST', page(first), { content_objects }, 201)
  await send('DELETE', page(first), { object_ids: [another?.id] }, 204)
  await send('POST', page(second), { content_objects: [{ id: 'mine' }] }, 201)
}

async function send(method: string, path: string, body: unknown, due: number) {
  const answer = await caller.send(method, path, body)
  expect({ path, status: answer.status, body: answer.body }).toMatchObject({ path, status: due })
  return answer
}

async function open(index: number): Promise<string> {
  const patch = { collaborators: 12, objects: 5, locked: false, withheld: false }
  return boardWith(world.sandbox, index, patch)
}

async function run(full: boolean): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  expect(result).toMatchObject({ state: 'complete', problems: [] })
  if (result === undefined) throw new Error('No run')
  return result
}

async function equalsService(): Promise<void> {
  const of = { account: 'account-0', accountId: 'one', streams: job.streams }
  await expectTruth(world.warehouse, world.sandbox, of)
}
