import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newestNote } from '../../src/evidence/checkpoint-notes.ts'
import { users } from '../../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { openWorkbench, type Workbench } from '../cli/workbench.ts'
import { findDifferences } from '../helpers/differences.ts'
import { type Backup, backUp } from './backup.ts'
import { tablesWith } from './stage.ts'

// The tests run in order: a backup, a week's work, an erasure, and the restore of the backup.

let bench: Workbench
let backup: Backup
let person: { id: string; email: string }
const JOBS = ['users', 'whiteboards', 'whiteboard-archives']

beforeAll(async () => {
  bench = await openWorkbench()
  bench.configure({
    top: ['archive: {files: true}'],
  })
  await bench.run('sync', ...JOBS)
  backup = await backUp(bench.databaseUrl)
})
afterAll(async () => {
  await backup.drop()
  await bench.close()
})

const inDatabase = async <T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> => {
  const warehouse = connect({ url: bench.databaseUrl })
  try {
    return await work(warehouse)
  } finally {
    await warehouse.close()
  }
}
const named = () => inDatabase((warehouse) => tablesWith(warehouse, [person.id, person.email]))
const notes = () => readdirSync(join(bench.folder, 'archive', 'main', 'notes'))
const incidents = () =>
  inDatabase(async ({ db }) => {
    const { rows } = await sql<{ detail: string }>`
      select detail from callsheet.incidents where kind = 'database_restored'`.execute(db)
    return rows
  })

it('work continues after the backup: signed checkpoints and an erasure', async () => {
  bench.sandbox.mutate()
  const found = await inDatabase(({ db }) =>
    sql<{ id: string; email: string }>`
      select u.id, u.email from svc.users u where u.status = 'active'
        and exists (select 1 from svc.whiteboard_activities a where a.user_id = u.id)
      order by u.id limit 1`.execute(db),
  )
  person = found.rows[0]!
  expect((await bench.run('sync', ...JOBS, '--full')).code).toBe(0)
  expect((await bench.run('erase', '--user', person.id, '--yes')).code).toBe(0)
  expect(await named()).toEqual([])
  // The note of the erasure, stored beside the notes of checkpoints, names nobody.
  const kept = notes().map((name) => readFileSync(join(bench.folder, 'archive/main/notes', name)))
  expect(notes().filter((name) => name.startsWith('erased-'))).toHaveLength(1)
  expect(kept.some((text) => text.includes(person.id) || text.includes(person.email))).toBe(false)
})

it('a restored backup is detected, and nothing is written to it or reported from it', async () => {
  await backup.restore()
  expect(await named()).toContain('svc.users')
  for (const command of [
    ['sync', 'users'],
    ['archive'],
    ['erase', '--due', '--yes'],
    ['report', 'whiteboard-audit', '--month', '2026-01'],
    ['audit', 'export', '--from', '2026-01-01', '--to', '2026-01-31'],
  ]) {
    const { code, stderr } = await bench.run(...command)
    expect([command[0], code]).toEqual([command[0], 2])
    expect(stderr).toContain('the database was restored or replaced')
    expect(stderr).toContain('callsheet restored')
  }
  const status = await bench.run('status', '--json')
  expect(status.code).toBe(1)
  const { health } = JSON.parse(status.stdout) as { health: { causes: object[] } }
  expect(health.causes[0]).toMatchObject({
    code: 'database_restored',
    level: 'red',
    todo: expect.stringContaining('callsheet restored') as string,
    since: expect.stringMatching(/^20\d\d-/) as string,
  })
  const doctor = await bench.run('doctor')
  expect([doctor.code, doctor.stdout]).toEqual([
    1,
    expect.stringMatching(
      /failed +main database +Working on account main: the database was restored/,
    ),
  ])
})

it('verify reports the lost checkpoints', async () => {
  const { code, stdout, stderr } = await bench.run('verify')
  expect(code).toBe(1)
  expect(stdout + stderr).toContain('end cut: the checkpoint over')
})

it('restored --dry-run lists the losses and changes nothing', async () => {
  const { code, stdout } = await bench.run('restored', '--dry-run', '--json')
  expect(code).toBe(0)
  const { accounts } = JSON.parse(stdout) as { accounts: [Record<string, unknown>] }
  expect(accounts[0]).toMatchObject({
    restored: true,
    lostErasures: 1,
    sealedErasures: 0,
    checkpoints: { size: newestNote(notes())?.at(-1) },
  })
  expect((await bench.run('sync', 'users')).code).toBe(2)
  expect(await named()).toContain('svc.users')
  expect(await incidents()).toEqual([])
})

it('restored repeats the erasure, records the incident and resumes work', async () => {
  const { code, stdout, stderr } = await bench.run('restored')
  expect([code, stderr]).toEqual([0, expect.stringContaining('callsheet restored --enter-break')])
  expect(stdout).toContain('Erasures that the database lacks: 1.')
  expect(stdout).toMatch(/Request \d+ \(by command\): erased/)
  expect(stdout + stderr).not.toContain(person.id)
  expect(stdout + stderr).not.toContain(person.email)
  expect(await named()).toEqual([])
  expect(await incidents()).toHaveLength(1)
})

it('a second restored call finds nothing left to do', async () => {
  const { code, stdout } = await bench.run('restored')
  expect(code).toBe(0)
  expect(stdout).toContain('No loss found')
  expect(stdout).toContain('No person on the list of erased persons or in a note is in the tables.')
  expect(await incidents()).toHaveLength(1)
})

it('sync resumes, restores nobody, and reports that no evidence is signed', async () => {
  const sync = await bench.run('sync', ...JOBS)
  expect([sync.code, sync.stdout + sync.stderr]).toEqual([
    1,
    expect.stringContaining('callsheet restored --enter-break'),
  ])
  expect(await named()).toEqual([])
  const verify = await bench.run('verify')
  expect([verify.code, verify.stdout + verify.stderr]).toEqual([
    1,
    expect.stringContaining('end cut: the checkpoint over'),
  ])
})

it('a key holder records the break, the log continues, and verify reports it', async () => {
  const lost = newestNote(notes())?.at(-1)
  const entered = await bench.run('restored', '--enter-break')
  expect([entered.code, entered.stdout]).toEqual([
    0,
    expect.stringContaining(`the log continues as callsheet/main/after-${lost}.`),
  ])
  expect((await bench.run('sync', ...JOBS, '--full')).code).toBe(0)
  expect(newestNote(notes())).toEqual([lost, expect.any(Number)])
  const verify = await bench.run('verify')
  expect([verify.code, verify.stdout + verify.stderr]).toEqual([
    0,
    expect.stringMatching(/Entries that were lost when the database was restored/),
  ])
  expect((await bench.run('status')).stdout).not.toContain('database_restored')
})

it('a bundle of the log shows the break when it is checked', async () => {
  const made = await bench.run(
    'audit',
    'export',
    '--from',
    daysAgo(500),
    '--to',
    daysAgo(0),
    '--out',
    'out',
  )
  expect([made.code, made.stderr]).toEqual([0, ''])
  const folder = join(bench.folder, 'out')
  const [zip] = readdirSync(folder).filter((name) => name.endsWith('.zip'))
  const { code, stdout, stderr } = await bench.run('verify', '--bundle', join(folder, zip!))
  // Exits with 4, because no key is named.
  expect([code, stdout + stderr]).toEqual([
    4,
    expect.stringMatching(/Entries that were lost when the database was restored .*\/after-\d+/),
  ])
})

it('the tables equal the service, except for the erased person', async () => {
  const streams = [users, whiteboardSessions, whiteboardActivities]
  const { rows, differences } = await inDatabase((warehouse) =>
    findDifferences(warehouse, bench.sandbox, { account: 'main', streams }),
  )
  expect(rows).toBeGreaterThan(100)
  expect(differences.filter((text) => !text.includes(person.id))).toEqual([])
  expect(differences.find((text) => text.startsWith('users'))).toMatch(/^users: 1 of/)
})

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
