import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { originOf } from '../../src/evidence/log/checkpoint.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { verifierKey } from '../../src/evidence/log/note.ts'
import { readSigningKey } from '../../src/evidence/log/signing-key.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { startWitness, type WitnessServer } from '../helpers/witness-server.ts'
import { type Ended, openWorkbench, start, type Workbench } from './workbench.ts'

let bench: Workbench
let fingerprint: string
/** Three witnesses, the last of which closes each connection. */
let servers: WitnessServer[]
let synced: Ended
beforeAll(async () => {
  bench = await openWorkbench()
  const { folder, databaseUrl } = bench
  await start(['init'], { folder, environment: { DATABASE: databaseUrl } }).ended
  const pem = readFileSync(join(folder, '.callsheet', 'evidence.key'), 'utf8')
  const { publicKey } = readSigningKey(pem, 'a test')
  fingerprint = publicKey.fingerprint
  servers = []
  for (const name of ['w.example/1', 'w.example/2', 'w.example/3'])
    servers.push(await startWitness(name, [verifierKey(originOf('main'), publicKey)]))
  servers[2]?.misbehave('hangs up')
  const asked = servers.map(({ url, vkey }) => `{url: '${url}', key: ${vkey}}`)
  bench.configure({
    top: [
      'archive: {files: true}',
      `evidence: {witnesses: {needed: 2, asked: [${asked.join(', ')}]}}`,
    ],
  })
  synced = await bench.run('sync')
}, 120_000)
afterAll(async () => {
  for (const server of servers) await server.close()
  await bench.close()
})

/** The witnesses of the newest cosigned checkpoint, according to the database. */
async function cosigned(): Promise<{ size: number; witnesses: string[] }> {
  const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
  const { rows } = await sql<{ size: number; witnesses: string[] }>`
    select size, array_agg(who order by who) as witnesses
    from callsheet.marks where kind = 'cosignature' group by 1 order by 1 desc limit 1`.execute(
    warehouse.db,
  )
  await warehouse.close()
  return rows[0] ?? { size: 0, witnesses: [] }
}

const keysOf = (from: number, to: number): string[] =>
  servers.slice(from, to).map(({ vkey }) => vkey)
const bundle = (): string => {
  const [name = ''] = readdirSync(join(bench.folder, 'out'))
  return join('out', name)
}
const verify = (needed: number, keys: readonly string[]) =>
  bench.run(
    'verify',
    '--bundle',
    bundle(),
    '--key',
    fingerprint,
    ...keys.flatMap((key) => ['--witness', key]),
    '--witnesses',
    String(needed),
  )

describe('a sync with two of three witnesses', () => {
  it('succeeds, and names the witness that did not respond', () => {
    expect(synced.code).toBe(0)
    const told = synced.stderr.split('\n').filter((line) => line.includes('witness'))
    expect(told).toEqual([
      expect.stringContaining(`evidence: Asking the witness ${servers[2]?.url} `),
      expect.stringContaining('what to do: check the URL in evidence.witnesses'),
    ])
  })

  it('stores their cosignatures in the database and the store', async () => {
    const { size, witnesses } = await cosigned()
    expect(witnesses).toEqual(keysOf(0, 2).toSorted())
    const notes = readdirSync(join(bench.folder, 'archive', 'main', 'notes'))
    const name = `checkpoint-${String(size).padStart(6, '0')}.cosignature-`
    expect(notes.filter((note) => note.startsWith(name))).toHaveLength(2)
    expect(servers[0]?.asked.length).toBeGreaterThan(0)
  })

  it('produces a bundle that is valid if enough of the reader’s witnesses cosigned', async () => {
    const days = ['--from', '2026-06-01', '--to', '2026-07-01']
    const exported = await bench.run('audit', 'export', ...days, '--out', 'out')
    expect(exported.code).toBe(0)
    const sha256 = sha256Hex(readFileSync(join(bench.folder, bundle())))
    expect(exported.stdout).toContain(sha256)
    expect(await verify(2, keysOf(0, 3))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/2 of 3 witnesses that you named, 2 needed/) as string,
    })
    expect(await verify(3, keysOf(0, 3))).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/cosignatures few[^]*not w\.example\/3/) as string,
    })
    expect((await verify(1, keysOf(2, 3))).code).toBe(1)
  })

  it('requests the missing cosignature again in the next run', async () => {
    servers[2]?.misbehave(undefined)
    expect((await bench.run('sync')).code).toBe(0)
    expect((await cosigned()).witnesses).toEqual(keysOf(0, 3).toSorted())
  })
})
