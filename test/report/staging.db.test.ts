import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import type { ReportFormat } from '../../src/core/define/report-format.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from '../reports/fixture.ts'

let warehouse: Warehouse
let directory: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun('acme'))
  await fixture.insertSessions(warehouse, { account: 'acme', runId, perDay: 3 })
})
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'callsheet-staging-'))))
afterEach(() => rm(directory, { recursive: true }))
afterAll(() => listenAtPoints(undefined))

const publish = (formats: readonly ReportFormat[] = ['html', 'csv'], into = directory) =>
  publishReport(
    { warehouse },
    {
      report: sessionQuality,
      account: 'acme',
      params: { month: '2026-10' },
      timeZone: 'UTC',
      directory: into,
      formats,
    },
  )

it('two publications of the same report in the same folder at once both succeed', async () => {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let stopped = false
  listenAtPoints((name) => {
    // The first process has written its files, but none has its final name.
    if (name !== 'report:placing' || stopped) return undefined
    stopped = true
    reached.resolve()
    return go.promise
  })
  const first = publish()
  await Promise.race([reached.promise, first])
  const { files } = await publish()
  go.resolve()
  expect((await first).files).toEqual(files)
  expect(files.length).toBeGreaterThan(1)
  for (const { path, sha256 } of files) expect(sha256Hex(await readFile(path))).toBe(sha256)
  expect((await readdir(directory)).length).toBe(files.length)
})

it('an unfinished folder of a report is removed after a day without changes', async () => {
  const { files } = await publish()
  const name = 'acme-session-quality-2026-10'
  const leave = async (path: string, changedMs: number): Promise<void> => {
    const file = join(directory, path)
    await mkdir(dirname(file))
    await writeFile(file, 'unfinished')
    for (const one of [file, dirname(file)]) await utimes(one, changedMs / 1000, changedMs / 1000)
  }
  const dayAgoMs = Date.now() - 86_400_000
  await leave(`.${name}.publishing-older1/a.html`, dayAgoMs - 60_000)
  await leave(`.${name}.publishing-newer1/a.html`, dayAgoMs + 60_000)
  await leave(`.acme-roster.publishing-other1/a.html`, dayAgoMs - 60_000)
  // A process writes a long file: the folder itself does not change meanwhile.
  await leave(`.${name}.publishing-writes/a.html`, dayAgoMs - 60_000)
  await writeFile(join(directory, `.${name}.publishing-writes/a.html`), 'more')
  await publish()
  expect((await readdir(directory)).toSorted()).toEqual(
    [
      `.${name}.publishing-newer1`,
      `.${name}.publishing-writes`,
      '.acme-roster.publishing-other1',
      ...files.map(({ path }) => path.slice(directory.length + 1)),
    ].toSorted(),
  )
})

it('only the owner can access reports and their folder, even if an old file was open to all', async () => {
  const umask = process.umask(0)
  try {
    const out = join(directory, 'out')
    const formats = ['xlsx', 'html', 'csv', 'parquet'] as const
    const modes = async (paths: readonly string[]) =>
      new Set(await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777)))
    const { files } = await publish(formats, out)
    const paths = files.map(({ path }) => path)
    expect(new Set(paths.map((path) => extname(path))).size).toBe(formats.length)
    expect(await modes(paths)).toEqual(new Set([0o600]))
    expect(await modes([out])).toEqual(new Set([0o700]))
    for (const path of paths) await chmod(path, 0o666)
    await sql`update svc.session_reports set session_name = 'Changed'`.execute(warehouse.db)
    const { files: again } = await publish(formats, out)
    const replaced = again.filter(({ path, sha256 }) =>
      files.some((file) => file.path === path && file.sha256 !== sha256),
    )
    expect(replaced.length).toBeGreaterThan(2)
    expect(await modes(replaced.map(({ path }) => path))).toEqual(new Set([0o600]))
  } finally {
    process.umask(umask)
  }
})
