import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LoadError } from '../../src/core/errors.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type Embedded, startEmbedded } from '../../src/warehouse/embedded/embedded.ts'
import { connectFailure } from '../helpers/connect-failure.ts'
import { type Issued, makeAuthority, selfSigned } from './certificates.ts'
import { falsePostgres } from './false-postgres.ts'

const authority = makeAuthority('Our authority')
const year = 365 * 86_400_000
const bad: [string, Issued, RegExp][] = [
  ['another host', authority.issue('db.example'), /does not match/],
  ['an address instead of the name', authority.issue('127.0.0.1'), /does not match/],
  [
    'last year',
    authority.issue('localhost', { fromMs: Date.now() - year, toMs: Date.now() - 60_000 }),
    /CERT_HAS_EXPIRED/,
  ],
  [
    'next year',
    authority.issue('localhost', { fromMs: Date.now() + 60_000, toMs: Date.now() + year }),
    /CERT_NOT_YET_VALID/,
  ],
  ['nobody but itself', selfSigned('localhost'), /DEPTH_ZERO_SELF_SIGNED_CERT/],
  ['another authority', makeAuthority('Other').issue('localhost'), /UNABLE_TO_VERIFY/],
]

let folder: string
let server: Embedded
let admin: Warehouse
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-tls-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'ca.pem'), authority.certificate)
  writeFileSync(join(folder, 'empty.pem'), 'no certificate')
  server = await startEmbedded({ directory: folder, durable: false })
  admin = connect({ url: server.url })
})
afterAll(async () => {
  await admin.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

describe('a real Postgres with TLS', () => {
  it.each(['localhost', '127.0.0.1'])(
    'accepts a connection if its certificate is for the host %s',
    async (host) => {
      await present(authority.issue(host))
      const warehouse = connect({ url: verified(server.url, host) })
      const { rows } = await sql<{ ssl: boolean; version: string }>`
      select ssl, version from pg_stat_ssl where pid = pg_backend_pid()`.execute(warehouse.db)
      await warehouse.close()
      expect(rows).toEqual([{ ssl: true, version: 'TLSv1.3' }])
    },
  )

  it.each(bad)('is refused with an invalid certificate: %s', async (_name, issued, reason) => {
    await present(issued)
    const error = await connectFailure({ url: verified(server.url, 'localhost') })
    expect(error).toBeInstanceOf(LoadError)
    expect(error.code).toBe('database_tls')
    expect(error.message).toMatch(reason)
    expect(error.message).toMatch(/Connecting to the database at localhost:\d+.*sslrootcert=FILE/)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(new URL(server.url).password)
  })
})

describe('a man in the middle', () => {
  it.each(bad)(
    'receives no user and no password with an invalid certificate: %s',
    async (_name, issued) => {
      const middle = await falsePostgres(issued)
      const error = await connectFailure({ url: canary(middle.port) })
      await middle.close()
      expect(error.code).toBe('database_tls')
      expect(middle.clear().toString('hex')).toBe(SSL_REQUEST)
      expect(middle.inside()).toBe('')
    },
  )

  it('receives no user and no password if it claims that TLS is unavailable', async () => {
    const middle = await falsePostgres('no-tls')
    const error = await connectFailure({ url: canary(middle.port) })
    await middle.close()
    expect(error.code).toBe('database_tls')
    expect(middle.clear().toString('hex')).toBe(SSL_REQUEST)
  })

  it('would receive both with a valid certificate (control)', async () => {
    const middle = await falsePostgres(authority.issue('localhost'))
    const told = connectFailure({ url: canary(middle.port) })
    await expect.poll(() => middle.inside()).toMatch(/canary-user[^]*canary-password/)
    await middle.close()
    expect((await told).code).toBe('connection_lost')
  })

  it('receives nothing even if NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks', async () => {
    const middle = await falsePostgres(selfSigned('localhost'))
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const error = await connectFailure({ url: canary(middle.port) })
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    await middle.close()
    expect(error.code).toBe('database_tls')
    expect(middle.inside()).toBe('')
  })
})

it.each(['empty.pem', 'nowhere.pem'])('an unreadable sslrootcert file is refused: %s', (file) => {
  const url = `${verified(server.url, 'localhost').split('&')[0]}&sslrootcert=${join(folder, file)}`
  expect(() => connect({ url })).toThrow(/sslrootcert=.*a file with certificates/)
})

function verified(url: string, host: string): string {
  const target = new URL(url)
  target.hostname = host
  target.search = `?sslmode=verify-full&sslrootcert=${join(folder, 'ca.pem')}`
  return target.href
}

function canary(port: number): string {
  return verified(`postgresql://canary-user:canary-password@localhost:${port}/d`, 'localhost')
}

/** Gives the server another certificate, and waits until it shows it. */
async function present({ certificate, key }: Issued): Promise<void> {
  const name = `${crypto.randomUUID()}.pem`
  const path = join(folder, 'cluster', name)
  const { uid, gid } = statSync(join(folder, 'cluster'))
  writeFileSync(path, `${certificate}${key}`, { mode: 0o600 })
  chownSync(path, uid, gid)
  for (const setting of ['ssl_cert_file', 'ssl_key_file'])
    await sql.raw(`alter system set ${setting} = '${path}'`).execute(admin.db)
  await sql`alter system set ssl = on`.execute(admin.db)
  await sql`select pg_reload_conf()`.execute(admin.db)
  await expect.poll(shownCertificate, { interval: 5 }).toBe(path)
}

async function shownCertificate(): Promise<string | undefined> {
  const fresh = connect({ url: server.url, poolSize: 1 })
  const { rows } = await sql<{ file: string }>`
    select current_setting('ssl_cert_file') as file`.execute(fresh.db)
  await fresh.close()
  return rows[0]?.file
}

/** Eight bytes that ask for TLS and say nothing else. */
const SSL_REQUEST = '0000000804d2162f'
