import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'
import { asked, boardWith, coded, rowsOf, withCaller } from './with-caller.ts'

const LABELS = '/whiteboards/classification_labels'

describe('the classification of a board', () => {
  it('is the label that was applied last, and changes the labels’ board counts', () =>
    withCaller({}, async (caller, sandbox) => {
      const board = await boardWith(sandbox, 3, { label: null })
      const [first, second] = [await newLabel(caller, 'One'), await newLabel(caller, 'Two')]
      const dates = await datesOf(sandbox, board)
      expect((await apply(caller, board, first)).status).toBe(204)
      expect(await carriedBy(sandbox, board)).toBe(first)
      expect(await countsOf(caller, first, second)).toEqual([1, 0])
      expect((await apply(caller, board, second)).status).toBe(204)
      expect(await carriedBy(sandbox, board)).toBe(second)
      expect(await countsOf(caller, first, second)).toEqual([0, 1])
      const truth = await rowsOf(sandbox, 'classification_labels')
      const told = await caller.get(LABELS)
      expect(truth.map(({ whiteboard_count: count }) => Number(count))).toEqual(
        (told.body.labels as { whiteboard_count: number }[]).map((label) => label.whiteboard_count),
      )
      expect(await datesOf(sandbox, board)).toEqual(dates)
    }))

  it('can be removed, even if it was removed before', () =>
    withCaller({}, async (caller, sandbox) => {
      const board = await boardWith(sandbox, 3)
      const label = await newLabel(caller, 'One')
      await apply(caller, board, label)
      expect((await remove(caller, board)).status).toBe(204)
      expect(await carriedBy(sandbox, board)).toBe(null)
      expect((await remove(caller, board)).status).toBe(204)
      expect(await carriedBy(sandbox, board)).toBe(null)
      expect(await countsOf(caller, label)).toEqual([0])
    }))

  it('is counted only for existing boards', () =>
    withCaller({}, async (_caller, sandbox) => {
      const counted = async () =>
        (await rowsOf(sandbox, 'classification_labels')).reduce(
          (sum, { whiteboard_count: count }) => sum + Number(count),
          0,
        )
      await boardWith(sandbox, 3, { label: 0 })
      const before = await counted()
      expect(before).toBeGreaterThan(20)
      const changes = sandbox.mutate({ ops: [{ kind: 'boards', action: 'remove', index: 3 }] })
      expect(changes.classification_labels).toEqual({ inserted: 0, updated: 1, deleted: 0 })
      expect(await counted()).toBe(before - 1)
    }))

  it('is refused if the board or label does not exist or the caller may not use it', () =>
    withCaller({}, async (caller, sandbox) => {
      const shut = await boardWith(sandbox, 4, { withheld: true })
      const board = await boardWith(sandbox, 5, { label: null })
      const label = await newLabel(caller, 'One')
      const missing = { status: 404, code: 34007 }
      const forbidden = { status: 403, code: 34009 }
      expect(coded(await apply(caller, 'wb-none', label))).toEqual(missing)
      expect(coded(await remove(caller, 'wb-none'))).toEqual(missing)
      expect(coded(await apply(caller, shut, label))).toEqual(forbidden)
      expect(coded(await remove(caller, shut))).toEqual(forbidden)
      expect(coded(await apply(caller, board, 'cl-none'))).toEqual({ status: 404, code: 34005 })
      for (const body of [undefined, {}, { classification_id: '' }, { label }]) {
        const refused = await caller.send('PUT', `/whiteboards/${board}/classification`, body)
        expect(coded(refused)).toEqual({ status: 400, code: 34002 })
      }
      expect(await carriedBy(sandbox, board)).toBe(null)
      sandbox.mutate({ ops: [{ kind: 'labels', action: 'change', id: label, patch: LOCKED }] })
      expect(coded(await apply(caller, board, label))).toEqual({ status: 403, code: 34008 })
    }))

  it('requires the feature, and cannot be removed in the government cluster', async () => {
    await withCaller({ switches: { classification: false } }, async (caller, sandbox) => {
      const board = await boardWith(sandbox, 3)
      const off = { status: 403, code: 34004 }
      expect(coded(await apply(caller, board, 'cl-none'))).toEqual(off)
      expect(coded(await remove(caller, board))).toEqual(off)
    })
    await withCaller({ switches: { commercialCluster: false } }, async (caller, sandbox) => {
      const board = await boardWith(sandbox, 3, { label: null })
      const label = await newLabel(caller, 'One')
      expect((await apply(caller, board, label)).status).toBe(204)
      expect((await remove(caller, board)).status).toBe(404)
      expect(await carriedBy(sandbox, board)).toBe(label)
    })
  })

  it('is limited to the caller’s own and shared boards without an admin scope', () =>
    withCaller({ sizes: FEW, accounts: [{ accountId: 'one' }, PLAIN] }, async (admin, sandbox) => {
      const { body } = await admin.get('/users/me')
      const people = await rowsOf(sandbox, 'whiteboard_collaborators')
      const own = new Set(
        people.filter(({ user_id: id }) => id === body.id).map(({ whiteboard_id: id }) => id),
      )
      const plain = await oauthCaller(sandbox, 1)
      const opened = new Set()
      for (const { whiteboard_id: id } of await rowsOf(sandbox, 'whiteboards')) {
        const answer = await remove(plain, String(id))
        if (answer.status === 204) opened.add(id)
        else expect(coded(answer)).toEqual({ status: 403, code: 34009 })
      }
      expect(opened).toEqual(own)
      expect(own.size).toBeGreaterThan(0)
      expect(own.size).toBeLessThan(50)
    }))
})

const LOCKED = { locked: true }
const FEW = { ...SMALL_SIZES, users: 60 }
const PLAIN = { accountId: 'one', scopes: ['whiteboard:write'] }

async function newLabel(caller: Caller, name: string): Promise<string> {
  const label = { name, color: '#1A9C4B', sensitivity_level: 3 }
  const { body } = await caller.send('POST', LABELS, label)
  return String(body.classification_id)
}

async function apply(caller: Caller, board: string, classification_id: string) {
  return caller.send('PUT', `/whiteboards/${board}/classification`, { classification_id })
}

async function remove(caller: Caller, board: string) {
  return caller.send('DELETE', `/whiteboards/${board}/classification`)
}

async function carriedBy(sandbox: Sandbox, board: string): Promise<unknown> {
  const rows = (await asked(sandbox, 'GET', 'board-labels')) as Record<string, unknown>[]
  return rows.find(({ whiteboard_id: id }) => id === board)?.classification_id
}

async function countsOf(caller: Caller, ...ids: string[]): Promise<unknown[]> {
  const labels = (await caller.get(LABELS)).body.labels as Record<string, unknown>[]
  return ids.map((id) => labels.find((label) => label.classification_id === id)?.whiteboard_count)
}

async function datesOf(sandbox: Sandbox, board: string) {
  const rows = await rowsOf(sandbox, 'whiteboards')
  return rows.find(({ whiteboard_id: id }) => id === board)?.modified_date
}
