import {
  appendFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { isStaging } from '../../src/report/publish-files.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from '../reports/fixture.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  directory = await mkdtemp(join(tmpdir(), 'callsheet-placed-'))
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

async function seed(account: string): Promise<void> {
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun(account))
  await fixture.insertSessions(warehouse, { account, runId, perDay: 3 })
}

describe('a foreign file at the path of a report', () => {
  /** Each puts something else in place of the published file; `another` is the path of another one. */
  const STATES: readonly ((path: string, another: string) => Promise<unknown>)[] = [
    (path) => appendFile(path, ' '),
    async function asLongAndAsOld(path) {
      const [content, { atime, mtime }] = [await readFile(path), await stat(path)]
      content[content.length - 1] = (content.at(-1) ?? 0) ^ 1
      await rm(path)
      await writeFile(path, content)
      await utimes(path, atime, mtime)
    },
    (path) => truncate(path),
    async function anotherOfOurs(path, another) {
      await writeFile(path, await readFile(another))
    },
    async function linkToOurs(path) {
      await rename(path, `${path}.moved`)
      await symlink(`${path}.moved`, path)
    },
    async function linkToNothing(path) {
      await rm(path)
      await symlink(`${path}.nowhere`, path)
    },
    async function folder(path) {
      await rm(path)
      await mkdir(path)
    },
  ]
  const into = async (account: string, folder: string, params = {}) => {
    const wanted = { report: sessionQuality, account, params, timeZone: 'UTC', directory: folder }
    const made = await publishReport({ warehouse }, { ...wanted, formats: ['xlsx', 'html', 'csv'] })
    return made.files
  }

  it('is never replaced, whatever its format and whatever kind of file it is', async () => {
    await seed('kept')
    for (const shift of STATES.keys()) {
      const folder = await mkdtemp(join(directory, 'kept-'))
      const others = await into('kept', folder, { month: '2026-09' })
      const first = await into('kept', folder)
      expect(first.length).toBeGreaterThan(STATES.length)
      const paths = first.map(({ path }) => path)
      for (const [at, path] of paths.entries())
        await STATES[(at + shift) % STATES.length]?.(path, others[at % others.length]?.path ?? '')
      const before = await lookedAt(paths)
      const second = await into('kept', folder)
      expect(second.map(({ kept }) => kept)).toEqual(paths)
      const beside = paths.map((path) => path.replace(/\.\w+$/, ' (2)$&'))
      expect(second.map(({ path }) => path)).toEqual(beside)
      expect(await lookedAt(paths)).toEqual(before)
      // The files beside them are ours, so publishing again replaces these and adds none.
      expect(await into('kept', folder)).toEqual(second)
      await rm(folder, { recursive: true })
    }
  })

  it('includes any file that the database does not record, unless its bytes stay the same', async () => {
    await seed('forgot')
    const folder = await mkdtemp(join(directory, 'forgot-'))
    const first = await into('forgot', folder)
    await sql`delete from callsheet.placed_files`.execute(warehouse.db)
    await sql`delete from callsheet.published_reports`.execute(warehouse.db)
    await sql`update svc.session_reports set session_name = 'Changed'`.execute(warehouse.db)
    const before = await lookedAt(first.map(({ path }) => path))
    const second = await into('forgot', folder)
    for (const [at, { path, sha256 }] of first.entries())
      if (second[at]?.sha256 === sha256) expect(second[at]).toEqual(first[at])
      else expect(second[at]?.kept).toBe(path)
    expect(second.filter(({ kept }) => kept !== undefined).length).toBeGreaterThan(2)
    expect(await lookedAt(first.map(({ path }) => path))).toEqual(before)
  })

  it('is not assumed for a file that Callsheet wrote just before its process died', async () => {
    await seed('died')
    const folder = await mkdtemp(join(directory, 'died-'))
    await symlink(folder, `${folder}-link`)
    listenAtPoints((name) => {
      if (name === 'report:recording') throw new Error('died')
    })
    await expect(into('died', folder)).rejects.toThrow('died')
    listenAtPoints(undefined)
    await sql`update svc.session_reports set session_name = 'Changed'`.execute(warehouse.db)
    const names = await readdir(folder)
    const made = await into('died', `${folder}-link`)
    expect(made.filter(({ kept }) => kept !== undefined)).toEqual([])
    expect(await readdir(folder)).toEqual(names)
  })

  it('stays, even if it was saved while the report was being put in place', async () => {
    await seed('meanwhile')
    const folder = await mkdtemp(join(directory, 'meanwhile-'))
    const [first] = await into('meanwhile', folder)
    await sql`update svc.session_reports set session_name = 'Again'`.execute(warehouse.db)
    const path = first?.path ?? ''
    let saved = false
    const slow = {
      transaction: async (...given: Parameters<Warehouse['transaction']>) => {
        const result = await warehouse.transaction(...given)
        // Between the last two checks of the file.
        if ((await standing(folder)) && !saved) {
          saved = true
          await writeFile(path, 'mine')
        }
        return result
      },
    } as Pick<Warehouse, 'transaction'>
    const wanted = { report: sessionQuality, account: 'meanwhile', params: {}, timeZone: 'UTC' }
    const made = await publishReport(
      { warehouse: slow },
      { ...wanted, directory: folder, formats: ['xlsx'] },
    )
    expect([saved, made.files[0]?.kept, await readFile(path, 'utf8')]).toEqual([true, path, 'mine'])
  })
})

/** Whether the folder has temporary files that wait to be put in place. */
async function standing(folder: string): Promise<boolean> {
  return (await readdir(folder)).some(isStaging)
}

/** What is at each path: inode, mode and content. */
async function lookedAt(paths: readonly string[]): Promise<unknown[]> {
  const looks = paths.map(async (path) => {
    const { ino, mode } = await lstat(path)
    return { path, ino, mode, content: await readFile(path).catch(String) }
  })
  return await Promise.all(looks)
}
