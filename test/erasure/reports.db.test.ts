import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryName } from '../../src/audit/bundle/temporary-bundle.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { eraseReports } from '../../src/erasure/erase-reports.ts'
import type { ErasedReports } from '../../src/erasure/report-file.ts'
import { ALL, ANNA, CSVS, useRoster } from './roster.ts'

const stage = useRoster()
const NOTHING: ErasedReports = { reports: 0, files: 0, bytes: 0, absent: 0, paths: [] }

afterEach(() => listenAtPoints(undefined))

const pathsOf = ({ files }: { files: readonly { path: string }[] }): string[] =>
  files.map(({ path }) => path)

async function namesOf(start: string): Promise<string[]> {
  return [...(await stage.content()).keys()].filter((name) => name.startsWith(start)).sort()
}

describe('erasing a person from the published reports', () => {
  it('removes each report that names them in all its formats, and no other', async () => {
    await stage.seed('acme')
    await stage.seed('other')
    const all = await stage.publish('acme')
    const own = await stage.publish('acme', { user: 'ANNA@example.com' })
    const berts = await stage.publish('acme', { user: 'bert@example.com' })
    const others = await stage.publish('other')
    const before = await stage.content()
    expect(before.size).toBe(4 * ALL)
    const seen = await stage.erase('acme', { dryRun: true })
    expect(await stage.content()).toEqual(before)
    expect(await stage.recorded('acme')).toMatchObject([
      { params: {} },
      { params: { user: 'ANNA@example.com' } },
      {},
    ])
    const gone = [...pathsOf(all), ...pathsOf(own)]
    const bytes = [...all.files, ...own.files].reduce((sum, file) => sum + file.bytes, 0)
    const erased = await stage.erase('acme')
    expect(erased).toEqual({ reports: 2, files: 2 * ALL, bytes, absent: 0, paths: gone })
    expect(seen).toEqual(erased)
    const after = await stage.content()
    expect(after).toEqual(
      new Map([...before].filter(([name]) => !gone.includes(join(stage.directory, name)))),
    )
    expect([...pathsOf(berts), ...pathsOf(others)]).toHaveLength(after.size)
    expect(await stage.recorded('acme')).toEqual([
      { params: {}, files: all.files.map((file) => ({ ...file, erased: true })) },
      { params: { user: null }, files: own.files.map((file) => ({ ...file, erased: true })) },
      { params: { user: 'bert@example.com' }, files: berts.files },
    ])
    expect(await stage.recorded('other')).toEqual([{ params: {}, files: others.files }])
    expect(await stage.erase('acme')).toEqual(NOTHING)
  })

  it('goes by the parameters too, where the files are elsewhere by now', async () => {
    await stage.seed('moved')
    const own = await stage.publish('moved', { user: ANNA.email }, ['csv', 'html'])
    for (const path of pathsOf(own)) await rm(path)
    expect(await stage.erase('moved')).toEqual({ ...NOTHING, reports: 1, absent: CSVS + 1 })
    expect(JSON.stringify(await stage.recorded('moved'))).not.toContain(ANNA.email)
    expect(await stage.erase('moved')).toEqual(NOTHING)
  })

  it('goes by a parameter that has an ID beside other text, not in a longer word', async () => {
    await stage.seed('beside')
    for (const user of ['usr-anna-0001@chat.example', 'usr-anna-00012', 'old.usr-anna-0001'])
      await stage.publish('beside', { user }, ['csv'])
    await stage.erase('beside')
    const within = [ANNA.id]
    expect(await stage.erase('beside', { within, dryRun: true })).toMatchObject({ reports: 1 })
    expect(await stage.erase('beside', { within })).toMatchObject({ reports: 1 })
    const params = JSON.stringify((await stage.recorded('beside')).map((one) => one.params))
    expect(params).toBe('[{"user":null},{"user":"usr-anna-00012"},{"user":"old.usr-anna-0001"}]')
    expect(await stage.erase('beside', { within })).toEqual(NOTHING)
  })

  it('takes a file once that was published twice, and enters it in both places', async () => {
    await stage.seed('twice')
    const first = await stage.publish('twice')
    const second = await stage.publish('twice')
    expect(pathsOf(second)).toEqual(pathsOf(first))
    const seen = await stage.erase('twice', { dryRun: true })
    const erased = await stage.erase('twice')
    expect(erased).toMatchObject({ reports: 2, files: ALL, absent: 0 })
    expect(erased.paths.toSorted()).toEqual(pathsOf(first).toSorted())
    expect(seen).toEqual(erased)
    for (const { files } of await stage.recorded('twice'))
      expect(files.map((file) => file.erased)).toEqual(Array.from({ length: ALL }, () => true))
    expect(await stage.erase('twice')).toEqual(NOTHING)
  })

  it('leaves what was published since without them in the place of the report', async () => {
    await stage.seed('since')
    const before = await stage.publish('since', {}, ['csv', 'html', 'xlsx'])
    await stage.leave('since', ANNA.id)
    const since = await stage.publish('since', {}, ['csv', 'xlsx'])
    const html = pathsOf(before).filter((path) => path.endsWith('.html'))
    expect(await stage.erase('since')).toMatchObject({ reports: 1, files: 1, paths: html })
    const [older, newer] = await stage.recorded('since')
    expect(older?.files.every(({ erased }) => erased === true)).toBe(true)
    expect(newer?.files).toEqual(since.files)
    expect(await namesOf('since-')).toHaveLength(CSVS + 1)
    expect(await stage.erase('since')).toEqual(NOTHING)
  })

  it('takes what somebody edited, with or without the name in it', async () => {
    await stage.seed('edited')
    const paths = pathsOf(await stage.publish('edited', {}, ['html', 'csv']))
    await writeFile(paths.at(-1) ?? '', 'id,email\r\n')
    expect(await stage.erase('edited')).toMatchObject({ files: CSVS + 1, paths })
  })

  it('leaves another account’s file where both published to one path', async () => {
    await stage.seed('Same Name')
    await stage.seed('same-name')
    const lost = await stage.publish('Same Name')
    const lies = await stage.publish('same-name')
    expect(pathsOf(lies)).toEqual(pathsOf(lost))
    const before = await stage.content()
    expect(await stage.erase('Same Name')).toEqual(NOTHING)
    expect(await stage.content()).toEqual(before)
    expect(await stage.erase('same-name')).toMatchObject({ reports: 1, files: ALL })
  })
})

describe('what no publication tells of', () => {
  it('goes too: what a killed process was making, had put in place, or what somebody copied', async () => {
    await stage.seed('left')
    const berts = pathsOf(await stage.publish('left', { user: 'bert@example.com' }, ['csv']))
    const folder = dirname(berts[0] ?? '')
    const put = async (name: string, text: string) => {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    const named = `"Änna O'Neil & ""Co""",`
    await put('.left-roster-2026-11.publishing/left-roster-2026-11.Everybody.csv', named)
    await put('.left-roster-2026-11.publishing/left-roster-2026-11.xlsx.part', 'PK')
    await put('.left-roster-2026-10.publishing/left-roster-2026-10.csv', 'bert')
    await put('.left-other-2026-10.publishing/left-other-2026-10.csv', named)
    await put('left-roster-2026-09.csv', named)
    await put('left-roster-2026-08 (1).csv', named)
    await put('left-roster-2026-07.csv', 'bert')
    await put(basename(temporaryName('left-audit-2026-10-01-2026-10-31.zip')), 'PK')
    await put('.workbook-abc/left-roster-2026-06.csv', named)
    await put('my-notes.csv', named)
    const all = await namesOf('')
    const seen = await stage.erase('left', { dryRun: true })
    expect(await namesOf('')).toEqual(all)
    const erased = await stage.erase('left')
    expect(seen).toEqual(erased)
    expect(erased).toMatchObject({ reports: 0, files: 6, absent: 0 })
    expect([
      ...(await namesOf('.')),
      ...(await namesOf('left-')),
      ...(await namesOf('my-')),
    ]).toEqual(
      [
        '.left-other-2026-10.publishing/left-other-2026-10.csv',
        '.left-roster-2026-10.publishing/left-roster-2026-10.csv',
        'left-roster-2026-07.csv',
        ...berts.map((path) => path.slice(folder.length + 1)),
        'my-notes.csv',
      ].sort((a, b) => Number(!a.startsWith('.')) - Number(!b.startsWith('.')) || (a < b ? -1 : 1)),
    )
    expect(await stage.erase('left')).toEqual(NOTHING)
  })

  it('an early record without a folder is looked for where reports are put', async () => {
    await stage.seed('early')
    const made = await stage.publish('early', {}, ['csv'])
    await sql`update callsheet.published_reports set files = ${JSON.stringify(
      made.files.map(({ path, ...file }) => ({
        ...file,
        path: path.slice(stage.directory.length + 1),
      })),
    )}::jsonb where account = 'early'`.execute(stage.warehouse.db)
    expect(await stage.erase('early')).toMatchObject({
      reports: 1,
      files: CSVS,
      paths: pathsOf(made),
    })
    expect(await stage.erase('early')).toEqual(NOTHING)
  })
})

describe('what cannot be removed', () => {
  it('is told after all others are done, without the person, and done by the next call', async () => {
    await stage.seed('shut')
    const anna = pathsOf(await stage.publish('shut', { user: ANNA.email }, ['csv', 'html']))
    const own = pathsOf(await stage.publish('shut', {}, ['xlsx']))
    const csv = anna.at(-2) ?? ''
    await rm(csv)
    // The superuser has every right, and yet removes no folder in this way.
    await mkdir(csv)
    const error = await stage.erase('shut').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'reports_not_erased',
      message: expect.stringContaining(csv),
    })
    for (const needle of ANNA.needles)
      expect((error as Error).message.toLowerCase()).not.toContain(needle.toLowerCase())
    for (const path of [...anna, ...own].filter((one) => one !== csv))
      await expect(stat(path)).rejects.toThrow('ENOENT')
    const [first] = await stage.recorded('shut')
    expect(first?.files).toMatchObject(
      anna.map((path) => ({ path, ...(path === csv ? { erasing: true } : { erased: true }) })),
    )
    await rm(csv, { recursive: true })
    expect(await stage.erase('shut')).toEqual({ ...NOTHING, reports: 1, absent: 1 })
    expect((await stage.recorded('shut'))[0]?.files.every(({ erased }) => erased)).toBe(true)
    expect(await stage.erase('shut')).toEqual(NOTHING)
  })
})

describe('an erasure that was cut off', () => {
  it.each([1, 2, 3, 4])('at its point %i is completed by the next', async (last) => {
    const account = `cut-${last}`
    await stage.seed(account)
    const all = await stage.publish(account)
    const own = await stage.publish(account, { user: ANNA.email }, ['csv'])
    let hits = 0
    listenAtPoints((name) => {
      if (name !== 'erase:report' || ++hits < last) return undefined
      return Promise.reject(new Error('cut off'))
    })
    await expect(stage.erase(account)).rejects.toThrow('cut off')
    listenAtPoints(undefined)
    await stage.erase(account)
    expect(await stage.recorded(account)).toEqual([
      { params: {}, files: all.files.map((file) => ({ ...file, erased: true })) },
      { params: { user: null }, files: own.files.map((file) => ({ ...file, erased: true })) },
    ])
    expect(await namesOf(`${account}-`)).toEqual([])
    expect(await stage.erase(account)).toEqual(NOTHING)
  })

  it('stops when it is told to, between two reports', async () => {
    await stage.seed('stopped')
    const made = await stage.publish('stopped', {}, ['csv'])
    const stopped = { warehouse: stage.warehouse, signal: AbortSignal.abort(new Error('stop')) }
    await expect(
      eraseReports(stopped, { account: 'stopped', needles: ANNA.needles, dryRun: false }),
    ).rejects.toThrow('stop')
    expect((await stat(made.files[0]?.path ?? '')).size).toBe(made.files[0]?.bytes)
  })
})
