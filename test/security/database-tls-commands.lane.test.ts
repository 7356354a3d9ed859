import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { type Embedded, startEmbedded } from '../../src/warehouse/embedded/embedded.ts'
import { openWorkbench, type Workbench } from '../cli/workbench.ts'
import { connectFailure } from '../helpers/connect-failure.ts'
import { makeAuthority } from './certificates.ts'

// Whole commands against a real Postgres that lets in nobody without TLS.

const authority = makeAuthority('Our authority')
let folder: string
let server: Embedded
let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  folder = mkdtempSync(join(tmpdir(), 'callsheet-tls-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'ca.pem'), authority.certificate)
  writeFileSync(join(folder, 'other.pem'), makeAuthority('Other').certificate)
  server = await startEmbedded({ directory: folder, durable: false })
  await demandTls()
})
afterAll(async () => {
  await server.stop()
  await bench.close()
  rmSync(folder, { recursive: true })
})

/** The server shows a certificate for localhost, and takes no connection without TLS any more. */
async function demandTls(): Promise<void> {
  const { certificate, key } = authority.issue('localhost')
  const cluster = join(folder, 'cluster')
  const path = join(cluster, 'server.pem')
  const { uid, gid } = statSync(cluster)
  writeFileSync(path, `${certificate}${key}`, { mode: 0o600 })
  chownSync(path, uid, gid)
  const admin = connect({ url: server.url, poolSize: 1 })
  for (const name of ['ssl_cert_file', 'ssl_key_file'])
    await sql.raw(`alter system set ${name} = '${path}'`).execute(admin.db)
  await sql`alter system set ssl = on`.execute(admin.db)
  const { rows } = await sql<{ file: string }>`
    select current_setting('hba_file') as file`.execute(admin.db)
  writeFileSync(rows[0]!.file, 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  await sql`select pg_reload_conf()`.execute(admin.db)
  for (let tries = 0; tries < 400 && !(await withoutTls()).includes('no encryption'); tries++)
    await wait(25)
  await admin.close()
}

async function withoutTls(): Promise<string> {
  return await connectFailure({ url: server.url }).then(({ message }) => message, String)
}

const reaching = (host: string, search: string) => {
  const url = new URL(server.url)
  url.hostname = host
  url.search = search
  return { environment: { DATABASE: url.href } }
}
const verified = (file: string) => `?sslmode=verify-full&sslrootcert=${join(folder, file)}`

it('a sync with verify-full uses TLS on every connection', async () => {
  const { code, stderr } = await bench.startWith(
    reaching('localhost', verified('ca.pem')),
    'sync',
    'users',
  ).ended
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const status = await bench.startWith(reaching('localhost', verified('ca.pem')), 'status').ended
  expect(status.stdout).toMatch(/^users +users +\d\d/m)
})

it.each([
  ['without TLS', 'localhost', undefined, /pg_hba|no encryption/],
  ['with another authority', 'localhost', 'other.pem', /UNABLE_TO_VERIFY.*sslrootcert=FILE/s],
  ['under a name that the certificate does not have', '127.0.0.1', 'ca.pem', /does not match/],
])('a sync %s is refused with the reason', async (_how, host, authorities, reason) => {
  const search = authorities === undefined ? '' : verified(authorities)
  const { code, stderr } = await bench.startWith(reaching(host, search), 'sync', 'users').ended
  expect(code).toBe(1)
  expect(stderr).toMatch(reason)
  expect(stderr).not.toContain(new URL(server.url).password)
})

it.each(['', '?sslmode=disable', '?sslmode=require'])(
  'a remote database with %s is refused before anything is sent',
  async (search) => {
    const given = reaching('db.example.com', search)
    const { code, stderr } = await bench.startWith(given, 'sync', 'users').ended
    expect(code).toBe(2)
    expect(stderr).toContain('sslmode=verify-full')
    expect(stderr).not.toContain(new URL(server.url).password)
  },
)
