import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import type { FileStore } from '../../src/store/store.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { appliedLabel } from '../helpers/applied-label.ts'
import { all } from '../store/store-contract.ts'
import { enterRemovals, useRetention } from './retained.ts'

const stage = useRetention()
const YEAR = { keepDays: 365 }

describe('without a retention rule,', () => {
  it('no file is removed, however old', async () => {
    await stage.keepFiles({ session: 's1', item: 'a', content: 'one', age: 9_000 })
    expect(await stage.preview([])).toEqual([])
    expect(await stage.prune([])).toMatchObject({ byRule: [], kept: [], finished: 0 })
    expect(await stage.states()).toEqual(['a stored'])
    expect(await all(stage.store)).toHaveLength(1)
  })
})

describe('the first matching retention rule', () => {
  it('applies to a file by its age, its board and the label that we applied last', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'young', content: '1', age: 364 },
      { session: 's2', item: 'old', content: '22', age: 366 },
      { session: 's3', item: 'board-old', content: '333', age: 40, whiteboard: 'wb-short' },
      { session: 's4', item: 'labelled', content: '4444', age: 400, whiteboard: 'wb-label' },
      { session: 's5', item: 'unlabelled', content: '55555', age: 400, whiteboard: 'wb-was' },
      { session: 'v1', item: 'recording', content: '666666', age: 500, kind: 'recording' },
    )
    await label('wb-label', ['Confidential'])
    await label('wb-was', ['Confidential', 'Public'])
    const rules = [
      { keepDays: 3650, labels: ['Confidential'] },
      { keepDays: 30, whiteboards: ['wb-short'] },
      YEAR,
    ]
    expect(await stage.preview(rules)).toEqual([
      'board-old goes by rule 1',
      'old goes by rule 2',
      'recording goes by rule 2',
      'unlabelled goes by rule 2',
    ])
    expect(await stage.states()).toEqual([
      'board-old stored',
      'labelled stored',
      'old stored',
      'recording stored',
      'unlabelled stored',
      'young stored',
    ])
    const { byRule } = await stage.prune(rules)
    expect(byRule).toEqual([
      { rule: 1, files: 1, bytes: 3 },
      { rule: 2, files: 3, bytes: 13 },
    ])
    expect(await stage.states()).toEqual([
      'board-old removed',
      'labelled stored',
      'old removed',
      'recording removed',
      'unlabelled removed',
      'young stored',
    ])
    expect(new Set((await all(stage.store)).map(({ size }) => size))).toEqual(new Set([1, 4]))
    const { rows } = await sql<{ reason: string }>`select reason from callsheet.files
      where account = ${stage.account} and item = 'board-old'`.execute(stage.warehouse.db)
    expect(rows[0]?.reason).toBe('archive.retention[1]: keepDays 30')
    expect((await stage.prune(rules)).byRule).toEqual([])
  })
})

describe('content that several files share', () => {
  it('stays until all of them are due for removal', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'old', content: 'same', age: 500 },
      { session: 's2', item: 'young', content: 'same', age: 10 },
    )
    expect(await stage.preview([YEAR])).toEqual(['old shared by rule 0'])
    const { byRule, kept } = await stage.prune([YEAR])
    expect(byRule).toEqual([])
    expect(kept).toEqual([{ hold: null, files: 1, bytes: 4 }])
    expect(await stage.states()).toEqual(['old stored', 'young stored'])
    expect((await stage.prune([{ keepDays: 5 }])).byRule).toEqual([{ rule: 0, files: 2, bytes: 4 }])
    expect(await all(stage.store)).toEqual([])
  })
})

describe('a prune of the archive', () => {
  it('adds entries to the manifest before it removes any bytes', async () => {
    await stage.keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    const seen: unknown[] = []
    await stage.prune([YEAR], {
      async recordRemovals() {
        seen.push(await stage.states(), (await all(stage.store)).length)
        await enterRemovals(stage.warehouse, stage.account)
      },
    })
    expect(seen).toEqual([['a removed!'], 1])
    expect(await all(stage.store)).toEqual([])
  })

  it('removes no bytes unless each file that shares them has a manifest entry', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'a', content: 'one', age: 500 },
      { session: 's2', item: 'b', content: 'two', age: 500 },
      { session: 's3', item: 'c', content: 'two', age: 500 },
    )
    const doubted = {
      recordRemovals: async () => {
        await sql`update callsheet.files set entered = item <> 'b'
          where account = ${stage.account} and state = 'removed'`.execute(stage.warehouse.db)
      },
    }
    const unproven = { files: 1, first: 'whiteboard_activities/s2/b' }
    const first = await stage.prune([YEAR], doubted)
    expect(first).toMatchObject({
      byRule: [{ rule: 0, files: 1, bytes: 3 }],
      finished: 0,
      unproven,
    })
    expect(await stage.states()).toEqual(['a removed', 'b removed!', 'c removed!'])
    expect(await all(stage.store)).toHaveLength(1)
    expect(await stage.prune([YEAR], doubted)).toMatchObject({ byRule: [], finished: 0, unproven })
    expect(await all(stage.store)).toHaveLength(1)
    const last = await stage.prune([YEAR])
    expect(last).toMatchObject({ finished: 1, unproven: { files: 0, first: null } })
    expect(await all(stage.store)).toEqual([])
  })

  it('fails at once if another process holds the account’s lease', async () => {
    const lease = await acquireLease(stage.warehouse, {
      account: stage.account,
      job: 'users',
      clock: systemClock,
    })
    await expect(stage.prune([YEAR])).rejects.toMatchObject({ code: 'account_busy' })
    await lease.release()
  })

  it('completes a prune that a failing store interrupted', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'a', content: 'one', age: 500 },
      { session: 's2', item: 'b', content: 'two', age: 500 },
    )
    const refused = new StoreError('store_refused', { tried: 'removing', came: 'no right' })
    const failing: FileStore = { ...stage.store, remove: () => Promise.reject(refused) }
    await expect(stage.prune([YEAR], { store: failing })).rejects.toBe(refused)
    expect(await stage.states()).toEqual(['a removed!', 'b removed!'])
    expect(await stage.verify()).toMatchObject({ findings: [], checked: { files: 0, kept: 2 } })
    expect(await stage.prune([YEAR])).toMatchObject({ finished: 2, byRule: [] })
    expect(await stage.states()).toEqual(['a removed', 'b removed'])
    expect(await all(stage.store)).toEqual([])
    expect(await stage.verify()).toMatchObject({ findings: [], checked: { files: 0, kept: 0 } })
  })

  it('records bytes as removed only after the store has flushed their removal', async () => {
    await stage.keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    const full = new StoreError('store_failed', { tried: 'flushing', came: 'EIO' })
    const failing: FileStore = { ...stage.store, flush: () => Promise.reject(full) }
    await expect(stage.prune([YEAR], { store: failing })).rejects.toBe(full)
    expect(await stage.states()).toEqual(['a removed!'])
    expect(await stage.prune([YEAR])).toMatchObject({ finished: 1 })
    expect(await stage.states()).toEqual(['a removed'])
  })

  it('that was killed between removing bytes and recording it causes no finding', async () => {
    await stage.keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    const cut = new Error('cut off')
    await expect(stage.prune([YEAR], { recordRemovals: () => Promise.reject(cut) })).rejects.toBe(
      cut,
    )
    for (const { sha256 } of await all(stage.store)) await stage.store.remove(sha256)
    expect(await stage.states()).toEqual(['a removed!'])
    const verified = await stage.verify()
    expect(verified).toMatchObject({ findings: [], checked: { files: 0, kept: 0 } })
    expect(verified.notJudged).toContainEqual(
      expect.stringMatching(/^1 removed files that are no longer in bucket/),
    )
  })

  it('keeps content that was stored again after it was recorded as removed', async () => {
    await stage.keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    await stage
      .prune([YEAR], { recordRemovals: () => Promise.reject(new Error('cut')) })
      .catch(() => {})
    await stage.keepFiles({ session: 's2', item: 'new', content: 'one', age: 1 })
    await stage.prune([YEAR])
    expect(await all(stage.store)).toHaveLength(1)
    expect(await stage.states()).toEqual(['a removed!', 'new stored'])
    expect(await stage.verify()).toMatchObject({ findings: [], checked: { files: 1, kept: 0 } })
  })

  it('records no file as removed if the store has locked it', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'free', content: 'one', age: 500 },
      { session: 's2', item: 'locked', content: 'locked', age: 500 },
    )
    const untilMs = systemClock.now() + 86_400_000
    const locking: FileStore = {
      ...stage.store,
      lockedUntilMs: async (sha256) =>
        (await stage.store.size(sha256)) === 6 ? untilMs : undefined,
    }
    const { byRule, locked } = await stage.prune([YEAR], { store: locking })
    expect(byRule).toEqual([{ rule: 0, files: 1, bytes: 3 }])
    expect(locked).toEqual({ files: 1, bytes: 6, untilMs })
    expect(await stage.states()).toEqual(['free removed', 'locked stored'])
  })

  it('counts no file as removed if a lock appeared after the check', async () => {
    await stage.keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    const locked = new StoreError('store_locked', { tried: 'removing', came: 'a lock' })
    const locking: FileStore = { ...stage.store, remove: () => Promise.reject(locked) }
    const none = { byRule: [], finished: 0, locked: { files: 1, bytes: 3 } }
    expect(await stage.prune([YEAR], { store: locking })).toMatchObject(none)
    expect(await stage.prune([YEAR], { store: locking })).toMatchObject(none)
    expect(await stage.states()).toEqual(['a removed!'])
    expect(await stage.prune([YEAR])).toMatchObject({
      byRule: [],
      finished: 1,
      locked: { files: 0 },
    })
  })
})

async function label(whiteboard: string, names: readonly string[]): Promise<void> {
  for (const [n, name] of names.entries())
    await appliedLabel(stage.account, {
      board: whiteboard,
      at: sql`callsheet.clock() + make_interval(secs => ${n})`,
      name,
    }).execute(stage.warehouse.db)
}
