import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desiredBoards } from '../../src/apply/desired/boards.ts'
import { desiredLabels } from '../../src/apply/desired/labels.ts'
import { settle } from '../../src/apply/settle.ts'
import { eraseLedgers } from '../../src/erasure/sql/erasure-ledgers.ts'
import {
  applyClassification,
  removeClassification,
} from '../../src/resources/classification-labels.ts'
import { searchFor } from '../core/persons/search-for.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { asked, rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief, states, wanted } from './apply-bench.ts'

let world: World
let bench: ApplyBench
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  bench = applyBench(world)
})
afterAll(() => world.close())

const labels = () => rowsOf(world.sandbox, 'classification_labels')
const boards = async () =>
  (await rowsOf(world.sandbox, 'whiteboards')).map((row) => String(row.whiteboard_id))
const carriedBy = async (board: string): Promise<string | undefined> => {
  const all = (await asked(world.sandbox, 'GET', 'board-labels')) as {
    whiteboard_id: string
    classification_id: string | null
  }[]
  const id = all.find((row) => row.whiteboard_id === board)?.classification_id
  const label = (await labels()).find((row) => row.classification_id === id)
  return label === undefined ? undefined : String(label.name)
}

const SECRET = { name: 'Secret', color: '#AA0000', sensitivity_level: 7 }

describe('a classification label', () => {
  it('is created, and a second plan has nothing to do', async () => {
    const wish = wanted(desiredLabels, SECRET)
    const { plans, settled } = await bench.apply([wish])
    expect(brief(plans)).toEqual(['add: #AA0000, sensitivity 7'])
    expect(states(settled)).toEqual(['done'])
    expect((await labels()).some(({ name }) => name === 'Secret')).toBe(true)
    expect(brief(await bench.plan(wish))).toEqual(['present'])
  })

  it('is changed as a draft, which waits for somebody to publish it', async () => {
    const wish = wanted(desiredLabels, { ...SECRET, color: '#00AA00', description: 'Ask first' })
    const { plans, settled, after } = await bench.apply([wish])
    expect(brief(plans)).toEqual([
      'change: color #AA0000 → #00AA00; description none → Ask first (a draft at first)',
    ])
    expect(states(settled)).toEqual(['done'])
    expect(brief(after)).toEqual([expect.stringMatching(/^waiting: our draft of .* published/)])
    const again = await bench.apply([wish])
    expect(again.sending.calls).toBe(0)
    await world.advance(60_000)
    bench = applyBench(world)
    await asked(world.sandbox, 'POST', 'publish-labels')
    expect(brief(await bench.plan(wish))).toEqual(['present'])
    expect((await labels()).find(({ name }) => name === 'Secret')?.color).toBe('#00AA00')
  })

  it('is changed again if somebody replaced its draft', async () => {
    const wish = wanted(desiredLabels, { ...SECRET, color: '#0000AA' })
    await bench.apply([wish])
    expect(brief(await bench.plan(wish))[0]).toMatch(/^waiting/)
    await world.advance(60_000)
    bench = applyBench(world)
    const [id] = (await labels()).filter(({ name }) => name === 'Secret')
    const patch = { draft: undefined, color: '#123456', modifiedMs: world.account.deps.clock.now() }
    const ops = [{ kind: 'labels', action: 'change', id: id?.classification_id, patch }]
    world.sandbox.mutate({ ops } as Parameters<typeof world.sandbox.mutate>[0])
    expect(brief(await bench.plan(wish))).toEqual([
      'change: color #123456 → #0000AA (a draft at first)',
    ])
  })

  it('is refused if two entries, by ID or name, request different changes', async () => {
    const id = (await labels()).find(({ name }) => name === 'Secret')?.classification_id
    const [byId, byName] = [{ classification_id: String(id) }, { name: 'Secret' }]
    const both = wanted(
      desiredLabels,
      { ...byId, color: '#111111' },
      { ...byName, color: '#222222' },
    )
    expect(brief(await bench.plan(both))).toEqual([
      'refused: it is wanted in more than one way: entry 0 and entry 1',
    ])
    const deleted = wanted(desiredLabels, { ...byName, absent: true as const }, byId)
    expect(brief(await bench.plan(deleted))).toEqual([
      expect.stringContaining('it is wanted in more than one way'),
    ])
    const same = { color: '#333333' }
    const twice = wanted(desiredLabels, { ...byName, ...same }, { ...byId, ...same })
    expect(brief(await bench.plan(twice))).toHaveLength(1)
  })

  it('is not reported as done if somebody changed it after its creation', async () => {
    const wish = wanted(desiredLabels, { ...SECRET, name: 'Made' })
    const { plans, sending, after } = await bench.apply([wish])
    expect(brief(after)).toEqual(['present'])
    const id = (await labels()).find(({ name }) => name === 'Made')?.classification_id
    const patch = { draft: undefined, color: '#123456' }
    const ops = [{ kind: 'labels', action: 'change', id, patch }]
    world.sandbox.mutate({ ops } as Parameters<typeof world.sandbox.mutate>[0])
    const otherwise = await bench.plan(wish)
    expect(brief(otherwise)).toEqual([expect.stringMatching(/^change: color #123456/)])
    expect(states(settle(plans, sending, otherwise))).toEqual([expect.stringMatching(/^not_seen/)])
    await bench.apply([wanted(desiredLabels, { name: 'Made', absent: true as const })])
  })

  it('is deleted, and a second plan has nothing to do', async () => {
    await bench.apply([wanted(desiredLabels, { ...SECRET, name: 'Passing' })])
    const wish = wanted(desiredLabels, { name: 'Passing', absent: true as const })
    const { plans, settled } = await bench.apply([wish])
    expect(brief(plans)[0]).toMatch(/^remove: permanently deleted/)
    expect(states(settled)).toEqual(['done'])
    expect((await labels()).some(({ name }) => name === 'Passing')).toBe(false)
    expect(brief(await bench.plan(wish))).toEqual(['present'])
  })

  it('is refused by the plan if the service would refuse it', async () => {
    const there = (await labels()).length
    const many = Array.from({ length: 31 - there }, (_, n) => ({ ...SECRET, name: `Label ${n}` }))
    const plan = brief(await bench.plan(wanted(desiredLabels, ...many)))
    expect(plan.filter((text) => text.startsWith('add'))).toHaveLength(30 - there)
    expect(plan.at(-1)).toMatch(/^refused: the account has 30 labels/)
    expect(
      brief(
        await bench.plan(
          wanted(
            desiredLabels,
            { name: 'Half' },
            { classification_id: 'none', color: '#000000' },
            { name: 'A', color: '#000000', sensitivity_level: 1, is_default: true },
            { name: 'B', color: '#000000', sensitivity_level: 1, is_default: true },
          ),
        ),
      ),
    ).toEqual([
      'refused: a new label needs a color and a sensitivity_level',
      'refused: there is no label of this classification_id',
      'refused: 2 labels are to be the default: one can be',
      'refused: 2 labels are to be the default: one can be',
    ])
  })
})

describe('the label of a board', () => {
  it('is assumed to be the label that we applied last', async () => {
    const [board = ''] = await boards()
    const wish = (label: string | null) => wanted(desiredBoards, { whiteboard_id: board, label })
    const first = await bench.apply([wish('Secret')])
    expect(brief(first.plans)).toEqual(['add: label not known → Secret'])
    expect(states(first.settled)).toEqual(['done'])
    expect(await carriedBy(board)).toBe('Secret')
    expect(brief(await bench.plan(wish('Secret')))).toEqual(['present'])
    expect(brief((await bench.apply([wish('Public')])).plans)).toEqual([
      'change: label Secret → Public',
    ])
    expect(await carriedBy(board)).toBe('Public')
    expect(brief((await bench.apply([wish(null)])).plans)).toEqual(['remove: label Public → none'])
    expect(await carriedBy(board)).toBeUndefined()
    expect(brief(await bench.plan(wish(null)))).toEqual(['present'])
  })

  it('can be created by the same plan', async () => {
    const [, board = ''] = await boards()
    const { plans, settled } = await bench.apply([
      wanted(desiredLabels, { ...SECRET, name: 'Fresh' }),
      wanted(desiredBoards, { whiteboard_id: board, label: 'Fresh' }),
    ])
    expect(brief(plans)[1]).toBe('add: label not known → Fresh')
    expect(states(settled)).toEqual(['done', 'done'])
    expect(await carriedBy(board)).toBe('Fresh')
  })

  it('is removed when the label is deleted', async () => {
    const [, board = ''] = await boards()
    await bench.apply([wanted(desiredLabels, { name: 'Fresh', absent: true as const })])
    const wish = wanted(desiredBoards, { whiteboard_id: board, label: 'Public' })
    expect(brief(await bench.plan(wish))).toEqual(['add: label none → Public'])
  })

  it('is unknown after a call with a lost response', async () => {
    const [, , board = ''] = await boards()
    const wish = wanted(desiredBoards, { whiteboard_id: board, label: null })
    await bench.call(removeClassification, { whiteboardId: board })
    expect(brief(await bench.plan(wish))).toEqual(['present'])
    const [label] = await labels()
    await world.faults([{ kind: 'reset', operation: applyClassification.id, count: 9 }])
    await expect(
      bench.call(
        applyClassification,
        { whiteboardId: board },
        { classification_id: String(label?.classification_id) },
      ),
    ).rejects.toThrow('whether the change was made')
    await world.faults([])
    expect(brief(await bench.plan(wish))).toEqual(['remove: label not known → none'])
  })

  it('is refused if the board or the label does not exist', async () => {
    const [board = ''] = await boards()
    const wish = wanted(
      desiredBoards,
      { whiteboard_id: 'none', label: 'Public' },
      { whiteboard_id: board, label: 'No such label' },
    )
    expect(brief(await bench.plan(wish))).toEqual([
      'refused: there is no such whiteboard',
      'refused: there is no label No such label',
    ])
  })
})

describe('a recorded call emptied by an erasure', () => {
  it('leaves the effect of this call and earlier ones unknown, and does not stop a plan', async () => {
    const [board = ''] = await boards()
    const put = wanted(desiredBoards, { whiteboard_id: board, label: 'Public' })
    const told = wanted(desiredLabels, { name: 'Public', description: 'Ask mara@example.com' })
    await bench.apply([put, told])
    expect(brief(await bench.plan(put, told))).toEqual([
      'present',
      expect.stringMatching(/^waiting/),
    ])
    await erase('mara@example.com')
    expect(brief(await bench.plan(put, told))).toEqual([
      'present',
      expect.stringMatching(/^change: .*Ask mara@example.com \(a draft at first\)$/),
    ])
    await erase(board)
    expect(brief(await bench.plan(put))).toEqual(['add: label not known → Public'])
    expect(states((await bench.apply([put])).settled)).toEqual(['done'])
    expect(brief(await bench.plan(put))).toEqual(['present'])
  })
})

/** Empties recorded calls that contain the text, as an erasure does. */
async function erase(text: string): Promise<void> {
  const search = searchFor(text)
  const { calls } = await world.warehouse.transaction((tx) => eraseLedgers(tx, { search }))
  expect(calls).toBeGreaterThan(0)
}
