import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../sandbox/server/server.ts'
import type { Caller } from './caller.ts'
import { boardWith, CALLED_AT, coded, rowsOf, withCaller } from './with-caller.ts'

type Thing = Record<string, unknown>

const INVALID = { status: 400, code: 34002 }

describe('saving content', () => {
  it('adds new objects, with an ID if they have none, and replaces existing ones', () =>
    withPage(5, async ({ caller, sandbox, path, things }) => {
      const before = await things()
      const [first] = before
      const { page_id } = (await caller.get(path)).body
      const content_objects = [
        { type: 'text', text: 'No ID', nested: { of: ['any', 'form', null, 1.5] } },
        { id: 'mine', type: 'shape' },
        { id: first?.id, type: 'text', text: 'Replaced' },
        { id: 'mine', type: 'image' },
      ]
      const saved = await caller.send('POST', path, { content_objects })
      expect(saved.status).toBe(201)
      expect(saved.body).toEqual({ added: 2, updated: 2, page_id })
      const after = await things()
      expect(after.slice(0, 5)).toEqual([content_objects[2], ...before.slice(1)])
      const made = after[5]?.id
      expect(made).toMatch(/^obj-\w+$/)
      expect(after.slice(5)).toEqual([{ ...content_objects[0], id: made }, content_objects[3]])
      const again = await caller.send('POST', path, { content_objects: [{ text: 'Another' }] })
      expect(again.body).toMatchObject({ added: 1, updated: 0 })
      expect(new Set((await things()).map(({ id }) => id)).size).toBe(8)
      expect(await counted(sandbox)).toBe(8)
    }))

  it('updates the board’s modification date, so that the list finds the board by it', () =>
    withPage(5, async ({ caller, sandbox, path, board }) => {
      sandbox.advance(1_800_500)
      const incremental = async () =>
        (await caller.drain('/whiteboards', 'whiteboards', { from: CALLED_AT })).map(
          (item) => (item as Thing).whiteboard_id,
        )
      expect(await incremental()).toEqual([])
      const [first] = (await caller.get(path)).body.content_objects as Thing[]
      await caller.send('POST', path, { content_objects: [{ id: first?.id }] })
      sandbox.advance(1_000)
      expect(await incremental()).toEqual([board])
      sandbox.advance(60_000)
      await caller.send('DELETE', path, { object_ids: [first?.id] })
      const row = (await rowsOf(sandbox, 'whiteboards'))[BOARD]
      expect(String(row?.modified_date).slice(0, 19)).toBe('2026-06-10T09:31:01')
    }))

  it('accepts ten thousand objects at once, and a page shows at most that many', () =>
    withPage(1, async ({ caller, sandbox, path, things }) => {
      const many = (count: number) => ({
        content_objects: Array.from({ length: count }, (_, n) => ({ id: `n-${String(n)}` })),
      })
      expect(coded(await caller.send('POST', path, many(10_001)))).toEqual(INVALID)
      expect(await things()).toHaveLength(1)
      const { body } = await caller.send('POST', path, many(10_000))
      expect(body).toMatchObject({ added: 10_000, updated: 0 })
      const shown = await things()
      expect(shown).toHaveLength(10_000)
      expect(shown.at(-1)).toEqual({ id: 'n-9998' })
      expect(await counted(sandbox)).toBe(10_000)
      // The object after the last shown one exists all the same: it is updated, not added.
      const last = await caller.send('POST', path, { content_objects: [{ id: 'n-9999' }] })
      expect(last.body).toMatchObject({ added: 0, updated: 1 })
      await caller.send('DELETE', path, { object_ids: ['n-3'] })
      expect((await things()).at(-1)).toEqual({ id: 'n-9999' })
    }))

  it.each([
    { what: 'no body', body: undefined },
    { what: 'no objects', body: {} },
    { what: 'an empty list', body: { content_objects: [] } },
    { what: 'an object that is text', body: { content_objects: [{ id: 'a' }, 'b'] } },
    { what: 'a numeric ID', body: { content_objects: [{ id: 7 }] } },
    { what: 'an empty ID', body: { content_objects: [{ id: '' }] } },
    { what: 'an unknown field', body: { content_objects: [{}], page_id: 'p' } },
  ])('is refused if the request has $what', ({ body }) =>
    withPage(3, async ({ caller, path, things }) => {
      const before = await things()
      expect(coded(await caller.send('POST', path, body))).toEqual(INVALID)
      expect(await things()).toEqual(before)
    }),
  )
})

describe('deleting objects', () => {
  it('removes them from the page, also those that no call saved', () =>
    withPage(6, async ({ caller, sandbox, path, things }) => {
      await caller.send('POST', path, { content_objects: [{ id: 'mine' }, { id: 'other' }] })
      const before = await things()
      const object_ids = [before[2]?.id, 'mine', before[0]?.id]
      const deleted = await caller.send('DELETE', path, { object_ids })
      expect(deleted.status).toBe(204)
      const after = await things()
      expect(after).toEqual(before.filter(({ id }) => !object_ids.includes(id)))
      expect(await counted(sandbox)).toBe(5)
      expect(coded(await caller.send('DELETE', path, { object_ids: ['mine'] }))).toEqual(INVALID)
      const back = [{ id: before[2]?.id, text: 'Back' }]
      const saved = await caller.send('POST', path, { content_objects: back })
      expect(saved.body).toMatchObject({ added: 1, updated: 0 })
      expect(await things()).toEqual([...after, ...back])
    }))

  it('removes either all of them or none', () =>
    withPage(3, async ({ caller, path, things }) => {
      const before = await things()
      const [first] = before
      for (const body of [undefined, {}, { object_ids: [] }, { object_ids: [3] }])
        expect(coded(await caller.send('DELETE', path, body))).toEqual(INVALID)
      const refused = await caller.send('DELETE', path, { object_ids: [first?.id, 'none'] })
      expect(coded(refused)).toEqual(INVALID)
      expect(refused.body.errors).toMatchObject([{ field: 'object_ids.1' }])
      expect(await things()).toEqual(before)
    }))
})

describe('the content of a board', () => {
  it('can be read, but not changed, if the board is locked', () =>
    withPage(3, async ({ caller, sandbox, path, things }) => {
      await boardWith(sandbox, BOARD, { locked: true })
      const [first] = await things()
      const shut = { status: 403, code: 34009 }
      const save = await caller.send('POST', path, { content_objects: [{}] })
      expect(coded(save)).toEqual(shut)
      const object_ids = [first?.id]
      expect(coded(await caller.send('DELETE', path, { object_ids }))).toEqual(shut)
      expect(await things()).toHaveLength(3)
    }))
})

const BOARD = 6

async function withPage(
  objects: number,
  work: (stage: {
    caller: Caller
    sandbox: Sandbox
    board: string
    path: string
    things(): Promise<Thing[]>
  }) => Promise<void>,
): Promise<void> {
  await withCaller({}, async (caller, sandbox) => {
    const open = { objects, locked: false, withheld: false }
    const board = await boardWith(sandbox, BOARD, open)
    const path = `/whiteboards/${board}/content`
    const things = async () => (await caller.get(path)).body.content_objects as Thing[]
    await work({ caller, sandbox, board, path, things })
  })
}

async function counted(sandbox: Sandbox): Promise<number> {
  const boards = await rowsOf(sandbox, 'whiteboards')
  const rows = await rowsOf(sandbox, 'whiteboard_content')
  const { whiteboard_id: id } = boards[BOARD] ?? {}
  return Number(rows.find((row) => row.whiteboard_id === id)?.object_count)
}
