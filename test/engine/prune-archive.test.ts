import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createS3Store } from '../../src/archive/s3-store.ts'
import type { FileStore } from '../../src/archive/store.ts'
import { systemClock } from '../../src/core/clock.ts'
import { StoreError } from '../../src/core/errors.ts'
import { silentObserver } from '../../src/core/observer.ts'
import { previewPrune, type PreviewedFile } from '../../src/engine/preview-prune.ts'
import { type PruneDeps, pruneArchive } from '../../src/engine/prune-archive.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { placeHold, readHolds, releaseHold } from '../../src/warehouse/holds.ts'
import { acquireLease } from '../../src/warehouse/lease.ts'
import type { RetentionRule } from '../../src/warehouse/retention.ts'
import { type Bucket, openBucket } from '../archive/bucket.ts'
import { all } from '../archive/store-contract.ts'
import { useWarehouse } from '../helpers/database.ts'
import { retain, type RetainedFile, statesOf } from './retained.ts'

let warehouse: Warehouse
let bucket: Bucket
let store: FileStore
let account: string
let accounts = 0
useWarehouse((opened) => {
  warehouse = opened
})
beforeAll(async () => {
  bucket = await openBucket()
})
afterAll(() => bucket.close())
beforeEach(async () => {
  account = `account-${accounts++}`
  store = createS3Store(bucket.options(account))
  await store.open()
})

const keepFiles = async (...files: RetainedFile[]): Promise<void> => {
  for (const file of files) await retain({ warehouse, store, account }, file)
}
const prune = (rules: readonly RetentionRule[], changes: Partial<PruneDeps> = {}) =>
  pruneArchive(
    {
      ...{ warehouse, store, clock: systemClock, observer: silentObserver },
      recordRemovals: async () => {},
      ...changes,
    },
    { account, rules, signal: new AbortController().signal },
  )
const preview = async (rules: readonly RetentionRule[]): Promise<string[]> => {
  const seen: PreviewedFile[] = []
  await previewPrune({ warehouse, store }, { account, rules }, (file) => void seen.push(file))
  return seen
    .map(({ item, verdict, hold, rule }) => `${item} ${verdict} ${hold ?? `by rule ${rule}`}`)
    .toSorted()
}
const YEAR = { keepDays: 365 }

describe('without a rule', () => {
  it('nothing may be removed, however old', async () => {
    await keepFiles({ session: 's1', item: 'a', content: 'one', age: 9_000 })
    expect(await preview([])).toEqual([])
    expect(await prune([])).toMatchObject({ byRule: [], kept: [], finished: 0 })
    expect(await statesOf(warehouse, account)).toEqual(['a stored'])
    expect(await all(store)).toHaveLength(1)
  })
})

describe('the first rule that fits a file', () => {
  it('counts, by age, board and the label that we applied last', async () => {
    await keepFiles(
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
    expect(await preview(rules)).toEqual([
      'board-old goes by rule 1',
      'old goes by rule 2',
      'recording goes by rule 2',
      'unlabelled goes by rule 2',
    ])
    expect(await statesOf(warehouse, account)).toEqual([
      ...['board-old stored', 'labelled stored', 'old stored', 'recording stored'],
      ...['unlabelled stored', 'young stored'],
    ])
    const { byRule } = await prune(rules)
    expect(byRule).toEqual([
      { rule: 1, files: 1, bytes: 3 },
      { rule: 2, files: 3, bytes: 13 },
    ])
    expect(await statesOf(warehouse, account)).toEqual([
      ...['board-old removed', 'labelled stored', 'old removed', 'recording removed'],
      ...['unlabelled removed', 'young stored'],
    ])
    expect((await all(store)).map(({ size }) => size).toSorted()).toEqual([1, 4])
    const { rows } = await sql<{ reason: string }>`select reason from callsheet.files
      where account = ${account} and item = 'board-old'`.execute(warehouse.db)
    expect(rows[0]?.reason).toBe('archive.retention[1]: keepDays 30')
    expect((await prune(rules)).byRule).toEqual([])
  })
})

describe('content that several files share', () => {
  it('stays until the last of them may go', async () => {
    await keepFiles(
      { session: 's1', item: 'old', content: 'same', age: 500 },
      { session: 's2', item: 'young', content: 'same', age: 10 },
    )
    expect(await preview([YEAR])).toEqual(['old shared by rule 0'])
    const { byRule, kept } = await prune([YEAR])
    expect(byRule).toEqual([])
    expect(kept).toEqual([{ hold: null, files: 1, bytes: 4 }])
    expect(await statesOf(warehouse, account)).toEqual(['old stored', 'young stored'])
    expect((await prune([{ keepDays: 5 }])).byRule).toEqual([{ rule: 0, files: 2, bytes: 4 }])
    expect(await all(store)).toEqual([])
  })
})

describe('a hold', () => {
  const hold = (name: string, changes: object = {}) =>
    placeHold(warehouse, { account, name, reason: 'case 7', placedBy: 'test', ...changes })
  beforeEach(() =>
    keepFiles(
      { session: 's1', item: 'a', content: 'one', age: 500, whiteboard: 'wb-1' },
      { session: 's2', item: 'b', content: 'two', age: 500, whiteboard: 'wb-2' },
      { session: 's3', item: 'c', content: 'three', age: 500, whiteboard: 'wb-1' },
    ),
  )

  it('of a board or a session stops what it covers, and is named', async () => {
    await hold('board-1', { whiteboardId: 'wb-1' })
    await hold('both', { whiteboardId: 'wb-2', sessionId: 's3' })
    expect(await preview([YEAR])).toEqual(['a held board-1', 'b goes by rule 0', 'c held board-1'])
    const { kept } = await prune([YEAR])
    expect(kept).toEqual([{ hold: 'board-1', files: 2, bytes: 8 }])
    expect(await statesOf(warehouse, account)).toEqual(['a stored', 'b removed', 'c stored'])
    const holds = await readHolds(warehouse, account)
    expect(holds.map(({ name, files, active }) => [name, files, active])).toEqual([
      ['board-1', 2, true],
      ['both', 0, true],
    ])
  })

  it('of everything stops everything, until it is released', async () => {
    await hold('all')
    expect((await prune([YEAR])).byRule).toEqual([])
    await releaseHold(warehouse, { account, name: 'all', releasedBy: 'test' })
    expect((await prune([YEAR])).byRule).toEqual([{ rule: 0, files: 3, bytes: 11 }])
    await expect(
      releaseHold(warehouse, { account, name: 'all', releasedBy: 'test' }),
    ).rejects.toMatchObject({ code: 'unknown_hold', exitCode: 2 })
  })

  it('that has ended, or is of another account, stops nothing', async () => {
    await hold('past', { endsAtMs: systemClock.now() - 1_000 })
    await hold('elsewhere', { account: 'somebody-else' })
    expect((await prune([YEAR])).byRule).toEqual([{ rule: 0, files: 3, bytes: 11 }])
  })

  it('has its name for itself', async () => {
    await hold('case')
    await expect(hold('case')).rejects.toMatchObject({ code: 'hold_exists', exitCode: 2 })
  })

  it('of whatever board keeps a file whose board is not known', async () => {
    await sql`delete from svc.whiteboard_sessions where account = ${account}
      and id = 's2'`.execute(warehouse.db)
    await hold('board-1', { whiteboardId: 'wb-1' })
    expect((await preview([YEAR]))[1]).toBe('b held board-1')
  })

  it('that comes while bytes are still there keeps them', async () => {
    const failing = prune([YEAR], {
      recordRemovals: () => Promise.reject(new Error('the manifest cannot be written')),
    })
    await expect(failing).rejects.toThrow('the manifest cannot be written')
    expect(await statesOf(warehouse, account)).toEqual(['a removed!', 'b removed!', 'c removed!'])
    expect(await hold('late', { sessionId: 's1' })).toEqual({ tooLate: 1 })
    expect((await prune([YEAR])).finished).toBe(2)
    expect(await statesOf(warehouse, account)).toEqual(['a removed!', 'b removed', 'c removed'])
    expect((await all(store)).map(({ size }) => size)).toEqual([3])
  })
})

describe('a prune', () => {
  it('has the manifest written before any byte goes', async () => {
    await keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    const seen: unknown[] = []
    await prune([YEAR], {
      async recordRemovals() {
        seen.push(await statesOf(warehouse, account), (await all(store)).length)
      },
    })
    expect(seen).toEqual([['a removed!'], 1])
    expect(await all(store)).toEqual([])
  })

  it('waits for nobody: who has the account is told', async () => {
    const lease = await acquireLease(warehouse, { account, job: 'users', clock: systemClock })
    await expect(prune([YEAR])).rejects.toMatchObject({ code: 'account_busy' })
    await lease.release()
  })

  it('goes on where the store failed it', async () => {
    await keepFiles(
      { session: 's1', item: 'a', content: 'one', age: 500 },
      { session: 's2', item: 'b', content: 'two', age: 500 },
    )
    const refused = new StoreError('store_refused', { tried: 'removing', came: 'no right' })
    const failing: FileStore = { ...store, remove: () => Promise.reject(refused) }
    await expect(prune([YEAR], { store: failing })).rejects.toBe(refused)
    expect(await statesOf(warehouse, account)).toEqual(['a removed!', 'b removed!'])
    expect(await prune([YEAR])).toMatchObject({ finished: 2, byRule: [] })
    expect(await statesOf(warehouse, account)).toEqual(['a removed', 'b removed'])
    expect(await all(store)).toEqual([])
  })

  it('leaves alone what was stored anew after it was entered as removed', async () => {
    await keepFiles({ session: 's1', item: 'a', content: 'one', age: 500 })
    await prune([YEAR], { recordRemovals: () => Promise.reject(new Error('cut')) }).catch(() => {})
    await keepFiles({ session: 's2', item: 'new', content: 'one', age: 1 })
    await prune([YEAR])
    expect(await all(store)).toHaveLength(1)
    expect(await statesOf(warehouse, account)).toEqual(['a removed!', 'new stored'])
  })

  it('enters nothing as removed that the store has locked', async () => {
    await keepFiles(
      { session: 's1', item: 'free', content: 'one', age: 500 },
      { session: 's2', item: 'locked', content: 'locked', age: 500 },
    )
    const untilMs = systemClock.now() + 86_400_000
    const locking: FileStore = {
      ...store,
      lockedUntilMs: async (sha256) => ((await store.size(sha256)) === 6 ? untilMs : undefined),
    }
    const { byRule, locked } = await prune([YEAR], { store: locking })
    expect(byRule).toEqual([{ rule: 0, files: 1, bytes: 3 }])
    expect(locked).toEqual({ files: 1, bytes: 6, untilMs })
    expect(await statesOf(warehouse, account)).toEqual(['free removed', 'locked stored'])
  })
})

async function label(whiteboard: string, names: readonly string[]): Promise<void> {
  for (const [n, name] of names.entries())
    await sql`insert into callsheet.applied_labels (account, whiteboard_id, applied_at, name, applied_by)
      values (${account}, ${whiteboard}, callsheet.clock() + make_interval(secs => ${n}), ${name},
        'test')`.execute(warehouse.db)
}
