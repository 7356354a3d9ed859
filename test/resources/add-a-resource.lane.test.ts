import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { configuration, secretsOf } from '../cli/workbench.ts'
import { emptyDatabase, type TestDatabase } from '../helpers/database.ts'
import { afterStep, guideSteps } from './guide.ts'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const steps = guideSteps()
let copy: string
let database: TestDatabase
let warehouse: Warehouse
let sandbox: { child: ChildProcess; url: string } | undefined

// The tests build on each other: a copy with the steps taken, its program, a sync, a change, another sync.
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'callsheet-guide-'))
  for (const part of [...FOLDERS, ...FILES])
    await cp(join(root, part), join(copy, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const step of steps) {
    const file = join(copy, step.file)
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    writeFileSync(file, afterStep(step, before))
  }
  database = await emptyDatabase()
  warehouse = connect({ url: database.url, poolSize: 1 })
})
afterAll(async () => {
  sandbox?.child.kill()
  await warehouse.close()
  await database.drop()
  await rm(copy, { recursive: true })
})

it('the steps of the guide make a program that passes the type check', async () => {
  const checked = await tool('tsc', '--noEmit', '--listFiles')
  for (const { file } of steps) expect(checked).toContain(file)
  await tool('rolldown', '-c', 'rolldown.config.ts')
  expect(existsSync(program())).toBe(true)
})

it('the resource of the guide syncs its whole list into its table', async () => {
  sandbox = await startSandbox()
  const { url } = sandbox
  const service = { baseUrl: `${url}/v2`, authUrl: url }
  writeFileSync(join(copy, 'config.yaml'), configuration(service))
  await callsheet('migrate')
  const read = { inserted: 12, updated: 0, deleted: 0, unchanged: 0 }
  expect(await sync()).toMatchObject([{ state: 'complete', tables: { lockers: read } }])
  const rows = await held()
  expect(rows).toHaveLength(12)
  expect(rows).toEqual(await truth())
})

it('the resource of the guide syncs a change, a deletion and a new row the next time', async () => {
  const [changed, deleted] = await held()
  const kind = 'list:lockers'
  const ops = [
    { kind, action: 'change', id: changed?.locker_id, patch: { status: 'broken' } },
    { kind, action: 'remove', id: deleted?.locker_id },
    { kind, action: 'add' },
  ]
  const counts = { inserted: 1, updated: 1, deleted: 1 }
  expect(await ask('mutate', { ops })).toMatchObject({ lockers: counts })
  const runs = await sync()
  expect(runs).toMatchObject([
    { state: 'complete', tables: { lockers: { ...counts, unchanged: 10 } } },
  ])
  expect(await held()).toEqual(await truth())
  expect(await held()).toContainEqual({ ...changed, status: 'broken' })
  const { rows } =
    await sql`select locker_id, status, _end from history.lockers order by _end`.execute(
      warehouse.db,
    )
  expect(rows).toEqual([
    { locker_id: changed?.locker_id, status: changed?.status, _end: 'changed' },
    { locker_id: deleted?.locker_id, status: deleted?.status, _end: 'deleted' },
  ])
})

it('no files are added or changed except those of the guide', async () => {
  const files = globSync(['*.*', ...FOLDERS.map((folder) => `${folder}/**/*.*`)], {
    cwd: copy,
    // The state of the check of types.
    exclude: ['*.tsbuildinfo'],
  })
  expect(files.length).toBeGreaterThan(500)
  const differing = files.filter((file) => contentOf(copy, file) !== contentOf(root, file))
  expect(differing.toSorted()).toEqual([...steps.map(({ file }) => file), 'config.yaml'].toSorted())
})

async function tool(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(join(root, 'node_modules', '.bin', name), args, { cwd: copy })
  return stdout
}

async function callsheet(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program(), ...args], {
    cwd: copy,
    env: environment(),
  })
  return stdout
}

async function sync(): Promise<object[]> {
  const said = JSON.parse(await callsheet('sync', 'users', '--json')) as {
    accounts: { runs: object[] }[]
  }
  return said.accounts.flatMap(({ runs }) => runs)
}

async function startSandbox(): Promise<{ child: ChildProcess; url: string }> {
  const args = [program(), 'sandbox', '--port', '0', '--scale', '0.003']
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, url: /http:\S+/.exec(line)?.[0] ?? line }
}

async function ask(what: string, body?: object): Promise<unknown> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(`${sandbox?.url}/__sandbox/${what}`, sent)
  const lines = (await answer.text()).trim().split('\n')
  const read = lines.map((line) => JSON.parse(line) as unknown)
  return body === undefined ? read : read[0]
}

interface Locker {
  locker_id: string
  floor: string
  status: string
}

async function truth(): Promise<Locker[]> {
  const rows = (await ask('truth/lockers')) as Locker[]
  return rows.toSorted((a, b) => (a.locker_id < b.locker_id ? -1 : 1))
}

async function held(): Promise<Locker[]> {
  const { rows } = await sql<Locker>`select locker_id, floor::text, status from svc.lockers
    where account = 'main' and _deleted_at is null order by locker_id`.execute(warehouse.db)
  return rows
}

const program = (): string => join(copy, 'dist', 'callsheet.js')
const environment = () => ({ ...secretsOf(database.url), PATH: process.env.PATH, HOME: copy })

function contentOf(place: string, file: string): string | undefined {
  const path = join(place, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

const FOLDERS = ['src', 'jobs', 'reports', 'migrations', 'sandbox', '.ci']
const FILES = ['package.json', 'tsconfig.json', 'rolldown.config.ts', 'config.example.yaml']
