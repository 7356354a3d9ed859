import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { CallsheetError } from '../../../src/core/errors.ts'
import { connect } from '../../../src/warehouse/connect.ts'
import { serverUser } from '../../../src/warehouse/embedded/embedded-user.ts'
import { freePort } from '../../helpers/free-port.ts'

export interface PoolerSummary {
  /** As PgBouncer itself names it. */
  version: string
  /** Ways to stand before the server that were tried. */
  ways: number
  violations: string[]
}

/** Undefined where this machine has no PgBouncer: nothing is shown then. */
export async function poolerLane({ url }: { url: string }): Promise<PoolerSummary | undefined> {
  const found = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  if (found.status !== 0) return undefined
  const violations: string[] = []
  let ways = 0
  for (const mode of ['transaction', 'statement', 'session'])
    for (const ignored of ['extra_float_digits', 'extra_float_digits,options']) {
      ways++
      const way = `pool_mode=${mode}, ignore_startup_parameters=${ignored}`
      const came = await throughPooler(url, { mode, ignored })
      if (came !== 'database_pooler') violations.push(`${way}: ${came} and no refusal`)
    }
  return { version: found.stdout.split('\n')[0] ?? '', ways, violations }
}

/** The code of what a command meets that begins to use a database behind the pooler. */
async function throughPooler(
  url: string,
  { mode, ignored }: { mode: string; ignored: string },
): Promise<string> {
  const server = new URL(url)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-pooler-'))
  const { username, hostname: host } = server
  const password = decodeURIComponent(server.password)
  const lines = [
    '[databases]',
    `* = host=${host} port=${server.port} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `ignore_startup_parameters = ${ignored}`,
    '',
  ]
  const pooler = start(folder, lines.join('\n'))
  try {
    await listening(port, pooler)
    const behind = new URL(url)
    behind.port = String(port)
    await reach(behind)
    const warehouse = connect({ url: behind.href, poolSize: 1 })
    try {
      await warehouse.ping()
      return 'it was used'
    } finally {
      await warehouse.close()
    }
  } catch (error) {
    return error instanceof CallsheetError ? error.code : String(error)
  } finally {
    pooler.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

/** A client that asks for nothing gets through, so that a refusal is one of ours. */
async function reach({ href }: URL): Promise<void> {
  const client = new Client({ connectionString: href })
  await client.connect()
  await client.query('select 1')
  await client.end()
}

/** It refuses to run as root, so it runs as whom an embedded server would. */
function start(folder: string, configuration: string): ChildProcess {
  const file = join(folder, 'pgbouncer.ini')
  const user = serverUser()
  writeFileSync(file, configuration, { mode: 0o600 })
  chmodSync(folder, 0o755)
  if (user !== undefined) chownSync(file, user.uid, user.gid)
  return spawn('pgbouncer', ['-q', file], { ...user, cwd: folder, stdio: 'ignore' })
}

async function listening(port: number, pooler: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (pooler.exitCode !== null) break
    const open = await new Promise<boolean>((resolve) => {
      const socket = connectSocket(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
    })
    if (open) return
    await wait(25)
  }
  throw new Error(`PgBouncer did not start (exit code ${pooler.exitCode})`)
}
