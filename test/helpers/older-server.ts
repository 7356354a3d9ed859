import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverUser } from '../../src/warehouse/embedded/embedded-user.ts'
import { freePort } from './free-port.ts'
import type { ThrowawayServer } from './throwaway-server.ts'

/** Programs of the oldest supported version, from Debian's package; undefined if not installed. */
export function olderPrograms(): string | undefined {
  return existsSync(join(OLDEST, 'initdb')) ? OLDEST : undefined
}

/** Starts a Postgres with these programs in a temporary folder. */
export async function startOlderServer(programs: string): Promise<ThrowawayServer> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-older-'))
  const user = serverUser()
  const home = join(directory, 'cluster')
  mkdirSync(home, { mode: 0o700 })
  const secret = join(home, 'password')
  writeFileSync(secret, 'older', { mode: 0o600 })
  chmodSync(directory, 0o755)
  if (user !== undefined) for (const path of [home, secret]) chownSync(path, user.uid, user.gid)
  const run = (name: string, ...options: string[]): void => {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
    const how = { ...user, env, cwd: home, stdio: 'ignore' } as const
    const { status } = spawnSync(join(programs, name), [...options, '-D', join(home, 'data')], how)
    if (status !== 0) throw new Error(`${name} of ${programs} ended with ${status}`)
  }
  const port = await freePort()
  const settings = Object.entries({ ...SETTINGS, port }).map(
    ([name, value]) => `-c ${name}=${value}`,
  )
  run('initdb', '-U', 'callsheet', '--pwfile', secret, ...CLUSTER)
  run('pg_ctl', 'start', '-w', '-s', '-l', join(home, 'log'), '-o', settings.join(' '))
  return {
    url: `postgresql://callsheet:older@127.0.0.1:${port}/postgres`,
    async stop() {
      run('pg_ctl', 'stop', '-w', '-s', '-m', 'immediate')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const OLDEST = '/usr/lib/postgresql/15/bin'
const CLUSTER = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--no-sync']
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: "''",
  fsync: 'off',
  synchronous_commit: 'off',
  max_wal_size: '1GB',
}
