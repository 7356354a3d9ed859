import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../../src/account/catalog.ts'
import { columnPolicyOf } from '../../../src/account/column-policy.ts'
import { openErasure } from '../../../src/account/open-erasure.ts'
import { rewriteColumns } from '../../../src/erasure/rewrite-columns.ts'
import { rowsDigest } from '../../../src/report/lake/changed-days.ts'
import { lakeTable, readBase } from '../../../src/report/lake/lake-table.ts'
import { createLakeFolder } from '../../../src/store/lake-folder.ts'
import { busiest, erase, openedOf, readmit } from '../../erasure/stage.ts'
import { openWorld, TINY, type World } from '../../helpers/world.ts'
import { account, exportStream, type LakeStage, streamOf, verifyLake } from './lake-stage.ts'

const NAMES = [
  'users',
  'phone_numbers',
  'phone_number_assignments',
  'session_reports',
  'whiteboards',
]
const OURS = jobs.filter(({ name }) =>
  ['users', 'phone-numbers', 'session-reports', 'whiteboards'].includes(name),
)

let world: World
let folder: string
let stage: LakeStage
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-lake-'))
  world = await openWorld({ sizes: TINY, altered: true })
  await world.sync({ jobs: OURS })
  stage = stageIn('lake')
  for (const name of NAMES) await exportStream(stage, name)
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

const stageIn = (name: string): LakeStage => ({
  world,
  lake: createLakeFolder(join(folder, name)),
  directory: join(folder, 'out'),
})

/** The days of a table's current snapshot, each with the digest of its rows. */
async function contents({ lake }: LakeStage, name: string): Promise<string[]> {
  const { files } = await readBase(world.warehouse.db, lakeTable(lake, streamOf(name)), account)
  return files.map((one) => `${one.data_file.partition.day} ${rowsDigest(one)}`).toSorted()
}

const run = (query: ReturnType<typeof sql>) => query.execute(world.warehouse.db)

/** Runs work in a session in which no trigger fires, as on a server that replays a backup. */
const unnoticed = (query: ReturnType<typeof sql>) =>
  world.warehouse.transaction(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await query.execute(tx)
  })

const partly = (name: string) =>
  jobs.filter((job) => job.name === name).map((job) => ({ ...job, partial: true as const }))

/** Syncs users with another value in one field of each answer. */
async function syncUsers(field: string, value: string): Promise<void> {
  world.ways.tell = ({ path }, { body }) => {
    const { users = [] } = body as { users?: Record<string, unknown>[] }
    if (path.endsWith('/users')) for (const user of users) user[field] = value
  }
  await world.sync({ jobs: OURS.filter(({ name }) => name === 'users'), full: true })
  delete world.ways.tell
}

let person = ''
const erasePerson = async () => {
  person = (await busiest(world.warehouse)).holder.id
  await erase(world, { persons: [person] })
}

async function dropColumn(): Promise<void> {
  const { wiring } = openedOf(world)
  const { signal } = new AbortController()
  const { deps, close } = await openErasure(openedOf(world), { account, signal })
  const columns = { session_reports: { session_name: 'drop' } } as const
  const policy = columnPolicyOf(wiring.config, { name: account, columns })
  await rewriteColumns(deps, { account, policy, settled: false, dryRun: false, signal })
  await close()
}

/** Changes a row in a transaction that is open while a lake is exported, and ends after it. */
async function changeAcrossExport(): Promise<void> {
  const [changed, exported] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = world.warehouse.transaction(async (tx) => {
    await sql`update svc.users set dept = 'slowly' where id in (select min(id) from svc.users)`.execute(
      tx,
    )
    changed.resolve()
    await exported.promise
  })
  await changed.promise
  await run(sql`update svc.users set dept = 'quickly' where id in (select max(id) from svc.users)`)
  await exportStream(stage, 'users')
  exported.resolve()
  await work
}

/** Every way in which rows change, and whether a state as of the last complete run shows it at once. */
const WAYS: readonly [string, () => Promise<unknown>, 'seen' | 'unseen'][] = [
  ['a sync that finds new, changed and deleted records', syncMutated, 'seen'],
  ['a sync that finds nothing new', () => world.sync({ jobs: OURS }), 'unseen'],
  [
    'a change of a field that makes no version',
    () => syncUsers('last_client_version', '9.9.9'),
    'seen',
  ],
  ['a change of a field that makes a version', () => syncUsers('dept', 'moved'), 'seen'],
  ['a partial run, with rows that the last whole run lacks', syncPartly, 'seen'],
  [
    'the next whole run, which has these rows',
    () => world.sync({ jobs: OURS, full: true }),
    'seen',
  ],
  ['a transaction that was open during an export', changeAcrossExport, 'seen'],
  [
    'a row changed by hand',
    () =>
      run(sql`update svc.users set dept = 'by hand' where id in
    (select min(id) from svc.users)`),
    'seen',
  ],
  [
    'a row inserted by hand',
    () =>
      run(sql`insert into svc.users (account, id, _raw, _hash,
    _first_seen_at, _changed_at, _run_id) values (${account}, 'by-hand', '{}', '', '2020-02-02',
    '2020-02-02', 1)`),
    'seen',
  ],
  ['a row deleted by hand', () => run(sql`delete from svc.users where id = 'by-hand'`), 'seen'],
  [
    'a row moved to another day',
    () =>
      run(sql`update svc.session_reports
    set start_time = start_time - interval '40 days' where id in (select min(id)
      from svc.session_reports)`),
    'seen',
  ],
  [
    'a row that loses its time',
    () =>
      run(sql`update svc.session_reports set start_time = null
    where id in (select min(id) from svc.session_reports)`),
    'seen',
  ],
  [
    'a version inserted by hand',
    () =>
      run(sql`insert into history.users (account, id, _raw, _hash,
    _first_seen_at, _changed_at, _run_id, _valid_from, _valid_to, _ended_by_run, _end)
    values (${account}, 'by-hand', '{}', '', '2020-03-03', '2020-03-03', 1, '2020-03-03', '2030-03-03',
      1000000, 'deleted')`),
    'seen',
  ],
  ['an erasure', erasePerson, 'seen'],
  [
    'a readmission of the erased person',
    async () => {
      await readmit(world, person)
      await world.sync({ jobs: OURS, full: true })
    },
    'seen',
  ],
  ['a policy that drops a column', dropColumn, 'seen'],
  ['a move to a database that noted other changes', replaceNotes, 'seen'],
]

async function syncMutated(): Promise<void> {
  await world.mutate({ scale: 3 })
  await world.sync({ jobs: OURS, full: true })
}

/** Runs a part, whose rows the last whole run lacks, and changes another row, which is exported at once. */
async function syncPartly(): Promise<void> {
  await world.mutate({ scale: 3 })
  for (const name of ['users', 'session-reports'])
    await world.sync({ jobs: partly(name), full: true })
  await run(sql`update svc.session_reports set duration = 1 where id in
    (select id from svc.session_reports order by start_time limit 1)`)
}

async function replaceNotes(): Promise<void> {
  await unnoticed(sql`update svc.users set dept = 'elsewhere'`)
  await unnoticed(sql`update callsheet.written set batch = 'elsewhere'`)
}

describe('an export that reads only what changed', () => {
  it.each(WAYS)('has the same rows as a new lake after %s', async (what, change, how) => {
    const before = await Promise.all(NAMES.map((name) => contents(stage, name)))
    await change()
    const fresh = stageIn(what.replaceAll(/\W/g, '-'))
    for (const name of NAMES) {
      await exportStream(stage, name)
      await exportStream(fresh, name)
    }
    const now = await Promise.all(NAMES.map((name) => contents(stage, name)))
    expect(now).toEqual(await Promise.all(NAMES.map((name) => contents(fresh, name))))
    expect(JSON.stringify(now) !== JSON.stringify(before)).toBe(how === 'seen')
  })

  it('compares all days after a release that adds a column', async () => {
    const { job_title: _none, ...columns } = streamOf('users').columns
    const lake = stageIn('columns')
    await exportStream(lake, { ...streamOf('users'), columns })
    expect(await exportStream(lake, 'users')).toMatchObject({ snapshot: { version: 2 } })
    expect(await contents(lake, 'users')).toEqual(await contents(stage, 'users'))
  })

  it('does not read unchanged days; verify --lake names one that differs', async () => {
    const lake = stageIn('quiet')
    await exportStream(lake, 'session_reports')
    await unnoticed(sql`update svc.session_reports set duration = 12345 where id in
      (select max(id) from svc.session_reports where start_time is not null)`)
    expect(await exportStream(lake, 'session_reports')).toMatchObject({ snapshot: undefined })
    const { findings } = await verifyLake(lake)
    const named = findings.filter(({ code }) => code === 'lake_differs')
    expect(named.map(({ what }) => what)).toEqual([
      expect.stringMatching(/svc\/session_reports, \d{4}-\d\d-\d\d$/),
    ])
  })
})
