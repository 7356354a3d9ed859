import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { placeHold, readHolds, releaseHold } from '../../src/archive/sql/holds.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { all } from '../store/store-contract.ts'
import { useRetention } from './retained.ts'

const stage = useRetention()
const YEAR = { keepDays: 365 }

describe('a legal hold', () => {
  const hold = (name: string, changes: object = {}) =>
    placeHold(stage.warehouse, {
      account: stage.account,
      name,
      reason: 'case 7',
      placedBy: 'test',
      ...changes,
    })
  beforeEach(() =>
    stage.keepFiles(
      { session: 's1', item: 'a', content: 'one', age: 500, whiteboard: 'wb-1' },
      { session: 's2', item: 'b', content: 'two', age: 500, whiteboard: 'wb-2' },
      { session: 's3', item: 'c', content: 'three', age: 500, whiteboard: 'wb-1' },
    ),
  )

  it('on a board keeps its files and is named, and on a board and a session only files of both', async () => {
    await hold('board-1', { whiteboardId: 'wb-1' })
    await hold('both', { whiteboardId: 'wb-2', sessionId: 's3' })
    expect(await stage.preview([YEAR])).toEqual([
      'a held board-1',
      'b goes by rule 0',
      'c held board-1',
    ])
    const { kept } = await stage.prune([YEAR])
    expect(kept).toEqual([{ hold: 'board-1', files: 2, bytes: 8 }])
    expect(await stage.states()).toEqual(['a stored', 'b removed', 'c stored'])
    const holds = await readHolds(stage.warehouse, stage.account)
    expect(holds.map(({ name, files, active }) => [name, files, active])).toEqual([
      ['board-1', 2, true],
      ['both', 0, true],
    ])
  })

  it('on the whole account keeps every file until it is released', async () => {
    await hold('all')
    expect((await stage.prune([YEAR])).byRule).toEqual([])
    await releaseHold(stage.warehouse, { account: stage.account, name: 'all', releasedBy: 'test' })
    expect((await stage.prune([YEAR])).byRule).toEqual([{ rule: 0, files: 3, bytes: 11 }])
    await expect(
      releaseHold(stage.warehouse, { account: stage.account, name: 'all', releasedBy: 'test' }),
    ).rejects.toMatchObject({ code: 'unknown_hold', exitCode: 2 })
  })

  it('that has ended, or is of another account, keeps no file', async () => {
    await hold('past', { endsAtMs: systemClock.now() - 1_000 })
    await hold('elsewhere', { account: 'somebody-else' })
    expect((await stage.prune([YEAR])).byRule).toEqual([{ rule: 0, files: 3, bytes: 11 }])
  })

  it('needs a name that no other hold has', async () => {
    await hold('case')
    await expect(hold('case')).rejects.toMatchObject({ code: 'hold_exists', exitCode: 2 })
  })

  it('on a board also keeps files whose board is unknown', async () => {
    await sql`delete from svc.whiteboard_sessions where account = ${stage.account}
      and id = 's2'`.execute(stage.warehouse.db)
    await hold('board-1', { whiteboardId: 'wb-1' })
    expect((await stage.preview([YEAR]))[1]).toBe('b held board-1')
  })

  it('that is placed before the bytes of a removed file are deleted keeps them', async () => {
    const failing = stage.prune([YEAR], {
      recordRemovals: () => Promise.reject(new Error('the manifest cannot be written')),
    })
    await expect(failing).rejects.toThrow('the manifest cannot be written')
    expect(await stage.states()).toEqual(['a removed!', 'b removed!', 'c removed!'])
    expect(await hold('late', { sessionId: 's1' })).toEqual({ tooLate: 1 })
    expect((await stage.prune([YEAR])).finished).toBe(2)
    expect(await stage.states()).toEqual(['a removed!', 'b removed', 'c removed'])
    expect((await all(stage.store)).map(({ size }) => size)).toEqual([3])
    const { findings, checked } = await stage.verify()
    expect({ findings, checked }).toMatchObject({ findings: [], checked: { files: 0, kept: 1 } })
  })
})
