import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { WHOLE } from '../helpers/whole.ts'
import { openWorld, WORLD_NOW, type World } from '../helpers/world.ts'
import { workInZone } from '../helpers/zone-process.ts'

/** Each zone with its local time at the world's now; only two zones on a push. */
const ZONES = {
  UTC: '02:30',
  ...(WHOLE ? { 'America/New_York': '22:30', 'Asia/Kolkata': '08:00' } : {}),
  'Pacific/Apia': '15:30',
}

const SIZES = {
  users: 100,
  sessions: 100,
  whiteboards: 20,
  activities: 60,
  recordings: 60,
  numbers: 60,
}

interface Outcome {
  code: number | null
  said: string
  /** The row count and an MD5 of all rows in order, by table. */
  tables: Record<string, string>
  /** The sha256 of each report's file, by name. */
  files: Record<string, string>
}

test('tables, workbooks and messages do not depend on the time zone of the process', async () => {
  const outcomes = new Map<string, Outcome>()
  for (const zone of Object.keys(ZONES)) outcomes.set(zone, await outcomeIn(zone))
  const first = outcomes.get('UTC') as Outcome
  expect(first.code).toBe(0)
  expect(Object.keys(first.files)).toHaveLength(6)
  expect(Object.keys(first.tables).length).toBeGreaterThan(8)
  expect(Object.values(first.tables).filter((text) => text.startsWith('0 '))).toEqual([])
  expect(first.said.split('\n').length).toBeGreaterThan(40)
  for (const [zone, time] of Object.entries(ZONES)) {
    const { said, ...outcome } = outcomes.get(zone) as Outcome
    // Proves that the process used the zone; otherwise the comparison would be void.
    expect(said).toContain(`here it is ${time}`)
    expect(said.replace(time, ZONES.UTC)).toBe(first.said)
    expect(outcome).toEqual({ code: first.code, tables: first.tables, files: first.files })
  }
}, 180_000)

/** Works in a zone with a company, a database and a folder of its own, all alike. */
async function outcomeIn(zone: string): Promise<Outcome> {
  const world = await openWorld({ sizes: SIZES })
  const out = await mkdtemp(join(tmpdir(), 'callsheet-zones-'))
  try {
    const configFile = await configure(world)
    const { code, said } = await workInZone(zone, { configFile, now: WORLD_NOW, out })
    const plain = said
      .replaceAll(out, 'OUT')
      .replaceAll(world.sandbox.url, 'URL')
      .replaceAll(dirname(configFile), 'FOLDER')
    return { code, said: plain, tables: await digests(world), files: await hashes(out) }
  } finally {
    await world.close()
    await rm(out, { recursive: true })
  }
}

/** Writes the world's configuration with its database, and stops the database's clock. */
async function configure({ place, warehouse }: World): Promise<string> {
  const settings = JSON.parse(await readFile(place.configFile, 'utf8')) as object
  const configFile = join(dirname(place.configFile), 'zones.yaml')
  await writeFile(configFile, JSON.stringify({ ...settings, database: { url: place.databaseUrl } }))
  await chmod(configFile, 0o600)
  const name = new URL(place.databaseUrl).pathname.slice(1)
  await sql`alter database ${sql.id(name)} set "callsheet.now" = ${sql.lit(WORLD_NOW)}`.execute(
    warehouse.db,
  )
  return configFile
}

async function digests({ warehouse }: World): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, key } of jobs.flatMap((job) => job.streams)) {
    const order = sql.join(['account', ...key].map((column) => sql.id(column)))
    const { rows } = await sql<{ rows: number; md5: string }>`
      select count(*)::int as rows,
        md5(string_agg(md5((to_jsonb(t) - '_salt')::text), '' order by ${order})) as md5
      from ${sql.id('svc', name)} t`.execute(warehouse.db)
    found[name] = `${rows[0]?.rows} ${rows[0]?.md5}`
  }
  return found
}

async function hashes(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted()
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))))
  const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
  return Object.fromEntries(names.map((name, at) => [name, digest(contents[at] as Buffer)]))
}
