import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { jobs } from '../../src/account/catalog.ts'
import { archiveAccount } from '../../src/archive/archive-account.ts'
import { planFiles } from '../../src/archive/plan-files.ts'
import type { ArchiveAccess } from '../../src/archive/work.ts'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import { activityFiles } from '../../src/resources/whiteboard-archives.ts'
import type { FileStore } from '../../src/store/store.ts'
import { fileRows, incidentsOf } from '../helpers/archive-files.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { type LockingServer, serveLocking } from '../store/locking-server.ts'

const streams = jobs.flatMap((job) => job.streams)

/** A world with stored and entered files, and a way to damage one in its store. */
interface Stage {
  world: World
  /** Replaces a file's bytes by as many other bytes. */
  damage(sha256: string): Promise<void>
  close(): Promise<void>
}

async function inDirectory(): Promise<Stage> {
  const world = await openWorld({ sizes: TINY, archive: { files: true } })
  return {
    world,
    damage: async (sha256) => {
      const store = await storeOf(world)
      const size = (await store.size(sha256)) ?? 0
      writeFileSync(store.pathOf?.(sha256) ?? '', 'x'.repeat(size))
    },
    close: () => world.close(),
  }
}

async function inBucket(): Promise<Stage> {
  const bucket: LockingServer = await serveLocking({ locking: false })
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-lost-'))
  writeFileSync(join(folder, 'key'), 'S3RVER', { mode: 0o600 })
  const s3 = {
    bucket: 'archive-bucket',
    endpoint: bucket.endpoint,
    accessKeyId: 'S3RVER',
    secretAccessKey: `file:${join(folder, 'key')}`,
  }
  const world = await openWorld({ sizes: TINY, archive: { files: true, store: 's3', s3 } })
  return {
    world,
    damage: async (sha256) => {
      const [key = ''] = [...bucket.versions.keys()].filter((one) => one.endsWith(sha256))
      const newest = bucket.versions.get(key)?.at(-1)
      if (newest !== undefined) newest.body = Buffer.alloc(newest.body.length, 'x')
    },
    async close() {
      await world.close()
      await bucket.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function storeOf(world: World): Promise<FileStore> {
  const { archive } = world.account.deps
  if (archive === undefined) throw new Error('no archive')
  return archive.store()
}

async function verify(world: World, warehouse: Reading = world.warehouse) {
  const store = await storeOf(world)
  const { signal } = new AbortController()
  const options = { account: 'account-0', store, streams, signal, keys: [], keyPinned: false }
  return await verifyEvidence({ warehouse }, options)
}

type Reading = Pick<World['warehouse'], 'db' | 'transaction'>

/** The same database, without the right to write. */
function readOnly({ db, transaction }: Reading): Reading {
  return {
    db,
    transaction: (work) =>
      transaction(async (tx, client) => {
        await sql`set local transaction_read_only = on`.execute(tx)
        return await work(tx, client)
      }),
  }
}

const archive = (world: World, { retry = false } = {}) =>
  archiveAccount(world.account.deps, {
    account: 'account-0',
    sources: [activityFiles],
    retry,
    signal: new AbortController().signal,
  })

const storedOf = async (world: World) =>
  (await fileRows(world.warehouse)).filter(({ state }) => state === 'stored')
const entriesOf = async (world: World) =>
  (
    await sql<{ n: number }>`select count(*)::int as n from callsheet.manifest`.execute(
      world.warehouse.db,
    )
  ).rows[0]?.n

describe.each([
  ['a directory', inDirectory],
  ['a bucket', inBucket],
])('a file lost in %s', (_name, open) => {
  let stage: Stage
  let world: World
  beforeAll(async () => {
    stage = await open()
    ;({ world } = stage)
    await world.sync()
  })
  afterAll(() => stage.close())

  it('is fetched again by the next run and keeps its log entry', async () => {
    const rows = await storedOf(world)
    const [one, other, ...rest] = rows.map(({ sha256 }) => sha256 ?? '')
    const entries = await entriesOf(world)
    const store = await storeOf(world)
    await store.remove(one ?? '')
    await store.flush()
    const run = await archive(world)
    expect(run).toMatchObject({ state: 'complete', files: { stored: 1, pending: 0 } })
    expect(run.problems.join()).toContain('1 file was missing or damaged in')
    expect(await entriesOf(world)).toBe(entries)
    expect((await verify(world)).findings).toEqual([])
    expect(rest.length).toBeGreaterThan(5)
    expect((await storedOf(world)).map(({ sha256 }) => sha256)).toEqual([one, other, ...rest])
    expect(await archive(world)).toMatchObject({ files: { stored: 0 }, problems: [] })
  })

  it('is noted by verify if damaged, and fetched again by the next run', async () => {
    const [, one] = (await storedOf(world)).map(({ sha256 }) => sha256 ?? '')
    const entries = await entriesOf(world)
    await stage.damage(one ?? '')
    const read = await verify(world, readOnly(world.warehouse))
    expect(read.notJudged.join()).toContain(
      '1 missing or changed files, which were not marked as lost',
    )
    expect(await archive(world)).toMatchObject({ files: { stored: 0 } })
    const { findings } = await verify(world)
    expect(findings.map(({ code }) => code)).toEqual(['file_changed'])
    expect(read.findings).toEqual(findings)
    const plan = () =>
      planFiles(world.warehouse, world.account.deps.archive as ArchiveAccess, {
        account: 'account-0',
        jobs: [whiteboardArchives],
      })
    expect(await plan()).toMatchObject([{ parents: 1, files: 1, calls: 2 }])
    expect(await archive(world)).toMatchObject({ state: 'complete', files: { stored: 1 } })
    expect(await plan()).toEqual([])
    expect((await verify(world)).findings).toEqual([])
    expect(await entriesOf(world)).toBe(entries)
  })

  it('is not replaced by different content from the service', async () => {
    const [row] = await storedOf(world)
    const before = row?.sha256 ?? ''
    const store = await storeOf(world)
    await store.remove(before)
    // The stored content was another one than the service returns today.
    const was = 'ab'.repeat(32)
    const setTo = (digest: string) =>
      sql`update callsheet.files set sha256 = decode(${digest}, 'hex')
        where account = 'account-0' and sha256 = decode(${digest === was ? before : was}, 'hex')`.execute(
        world.warehouse.db,
      )
    await setTo(was)
    for (const _ of [1, 2]) {
      const run = await archive(world)
      expect(run.state).toBe('incomplete')
      expect(run.problems.join()).toContain('the service returned other content')
      expect((await storedOf(world)).find(({ item }) => item === row?.item)?.sha256).toBe(was)
      expect(await store.size(before)).toBeUndefined()
      const codes = (await verify(world)).findings.map(({ code }) => code)
      expect(codes).toContain('file_missing')
      expect(codes).not.toContain('file_without_entry')
    }
    await setTo(before)
    await archive(world)
    expect((await verify(world)).findings).toEqual([])
  })

  it('is reported if the service no longer has it, and not requested again', async () => {
    const [row] = await storedOf(world)
    const store = await storeOf(world)
    await store.remove(row?.sha256 ?? '')
    const operation = 'whiteboard_sessions.download'
    await world.faults([{ kind: 'missing-file', operation }])
    expect((await archive(world)).state).toBe('incomplete')
    await world.advance(2 * 3_600_000)
    const last = await archive(world)
    expect([last.state, last.problems.join()]).toEqual([
      'incomplete',
      expect.stringContaining('no longer exist, as the service reported twice'),
    ])
    expect((await incidentsOf(world.warehouse)).map(({ kind }) => kind)).toEqual(['missing'])
    expect((await archive(world)).state).toBe('complete')
    expect((await verify(world)).findings.map(({ code }) => code)).toEqual(['file_missing'])
    await world.faults([])
    expect(await archive(world, { retry: true })).toMatchObject({ files: { stored: 1 } })
    expect((await verify(world)).findings).toEqual([])
  })
})
