import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { ALL, ANNA, CSVS, NOTHING, namesOf, naming, pathsOf, useRoster } from './roster.ts'

const stage = useRoster()

afterEach(() => listenAtPoints(undefined))

describe('a published report that covers the person', () => {
  it('is made again in all its formats, or deleted if it is about the person alone', async () => {
    await stage.seed('acme')
    await stage.seed('other')
    const all = await stage.publish('acme')
    const own = await stage.publish('acme', { user: 'ANNA@example.com' })
    await stage.publish('acme', { user: 'bert@example.com' })
    await stage.publish('other')
    const before = await stage.content()
    expect(before.size).toBe(4 * ALL)
    const seen = await stage.erase('acme', { dryRun: true })
    expect(await stage.content()).toEqual(before)
    const erased = await stage.erase('acme')
    expect(erased).toMatchObject({ reports: 3, files: 3 * ALL, anew: 2, undecided: [] })
    expect(seen).toEqual(erased)
    const gone = pathsOf(own).map((path) => basename(path))
    expect(await namesOf(stage, '')).toEqual(
      [...before.keys()].filter((name) => !gone.includes(name)).sort(),
    )
    expect(await naming(stage, 'acme')).toEqual([])
    expect(await naming(stage, 'other')).not.toEqual([])
    const recorded = await stage.recorded('acme')
    expect(recorded.map(({ params }) => params)).toEqual([
      {},
      { user: null },
      { user: 'bert@example.com' },
      {},
      { user: 'bert@example.com' },
    ])
    expect(recorded[0]?.files).toEqual(all.files.map((file) => ({ ...file, erased: true })))
    expect(recorded[3]?.files.map(({ path }) => path)).toEqual(pathsOf(all))
    expect(await stage.erase('acme')).toEqual(NOTHING)
  })

  it('stays unchanged if it was published before the person’s first row', async () => {
    await stage.seed('early')
    await stage.publish('early', {}, ['csv'])
    await sql`update callsheet.published_reports set published_at = '2026-09-30T00:00:00Z'
      where account = 'early'`.execute(stage.warehouse.db)
    const before = await stage.content()
    expect(await stage.erase('early')).toEqual(NOTHING)
    expect(await stage.content()).toEqual(before)
  })

  it('is made again as of its original time and name, even if a run followed', async () => {
    await stage.seed('then')
    const made = await stage.publish('then', {}, ['csv'])
    await stage.read('then', '2126-11-20T01:00:00Z')
    expect(await stage.erase('then')).toMatchObject({ files: CSVS, anew: 1, undecided: [] })
    expect(await namesOf(stage, 'then-')).toEqual(
      pathsOf(made)
        .map((path) => basename(path))
        .sort(),
    )
    expect(await naming(stage, 'then')).toEqual([])
  })

  it('is made again once if it was published twice', async () => {
    await stage.seed('twice')
    const first = await stage.publish('twice')
    expect(pathsOf(await stage.publish('twice'))).toEqual(pathsOf(first))
    const seen = await stage.erase('twice', { dryRun: true })
    const erased = await stage.erase('twice')
    expect(erased).toMatchObject({ reports: 2, files: ALL, anew: 1 })
    expect(seen).toEqual(erased)
    expect(await naming(stage, 'twice')).toEqual([])
    expect(await stage.erase('twice')).toEqual(NOTHING)
  })

  it('keeps another account’s file at the same path', async () => {
    await stage.seed('Same Name')
    await stage.seed('same-name')
    const lost = await stage.publish('Same Name')
    expect(pathsOf(await stage.publish('same-name'))).toEqual(pathsOf(lost))
    const before = await stage.content()
    expect(await stage.erase('Same Name')).toMatchObject({
      files: 0,
      anew: 0,
      undecided: [],
      settled: [],
    })
    expect(await stage.content()).toEqual(before)
  })

  it('is found by an ID next to other text in a parameter, but not inside a longer word', async () => {
    await stage.seed('beside')
    for (const user of ['usr-anna-0001@chat.example', 'usr-anna-00012', 'old.usr-anna-0001'])
      await stage.publish('beside', { user }, ['csv'])
    await stage.erase('beside')
    const params = (await stage.recorded('beside')).slice(0, 3).map((one) => one.params)
    expect(params).toEqual([
      { user: null },
      { user: 'usr-anna-00012' },
      { user: 'old.usr-anna-0001' },
    ])
  })
})

describe('an erasure of reports', () => {
  it('names a file whose path is a directory, and the next erasure removes the restored file', async () => {
    await stage.seed('shut')
    const [path = ''] = pathsOf(await stage.publish('shut', {}, ['html']))
    const [other = ''] = pathsOf(await stage.publish('shut', { user: ANNA.email }, ['html']))
    const kept = join(stage.directory, 'kept')
    await rename(path, kept)
    await mkdir(path)
    expect(await stage.erase('shut')).toMatchObject({ files: 1, undecided: [{ file: path }] })
    await rm(path, { recursive: true })
    await rename(kept, path)
    await expect(readFile(other)).rejects.toThrow('ENOENT')
    expect(await stage.erase('shut')).toMatchObject({ files: 1, anew: 1, undecided: [] })
    expect(await stage.erase('shut')).toEqual(NOTHING)
  })

  it.each([1, 2, 3, 4, 5])('interrupted at point %i is completed by the next one', async (last) => {
    const account = `cut-${last}`
    await stage.seed(account)
    const all = await stage.publish(account)
    await stage.publish(account, { user: ANNA.email }, ['csv'])
    let hits = 0
    listenAtPoints((name) => {
      if (name !== 'erase:report' || ++hits < last) return undefined
      return Promise.reject(new Error('cut off'))
    })
    await expect(stage.erase(account)).rejects.toThrow('cut off')
    listenAtPoints(undefined)
    expect(await stage.erase(account)).toMatchObject({ undecided: [] })
    expect(await namesOf(stage, `${account}-`)).toEqual(
      pathsOf(all)
        .map((path) => basename(path))
        .sort(),
    )
    expect(await naming(stage, account)).toEqual([])
    expect(await stage.erase(account)).toEqual(NOTHING)
  })

  it('interrupted while it makes a report again is completed by the next one', async () => {
    await stage.seed('half')
    const all = await stage.publish('half')
    for (const at of ['report:staged', 'report:placed', 'report:recording', 'report:recorded']) {
      listenAtPoints((name) => (name === at ? Promise.reject(new Error('cut off')) : undefined))
      await expect(stage.erase('half')).rejects.toThrow('cut off')
    }
    listenAtPoints(undefined)
    expect(await stage.erase('half')).toMatchObject({ undecided: [] })
    expect(await namesOf(stage, 'half-')).toEqual(
      pathsOf(all)
        .map((path) => basename(path))
        .sort(),
    )
    expect(await naming(stage, 'half')).toEqual([])
    expect(await stage.erase('half')).toEqual(NOTHING)
  })
})
