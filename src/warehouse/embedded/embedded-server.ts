import { spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { LoadError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { isRunning } from '../holder.ts'
import type { Binaries } from './embedded-binaries.ts'
import type { Home } from './embedded-home.ts'
import type { ServerUser } from './embedded-user.ts'

export interface Server {
  home: Home
  binaries: Binaries
  user: ServerUser | undefined
  /** False makes writes unsafe against a crash, for tests. */
  durable: boolean
}

export const SUPERUSER = 'callsheet'

/**
 * Creates the cluster in a draft directory and renames it when complete, so that a killed initdb leaves
 * nothing that looks ready.
 */
export async function initialise(server: Server): Promise<void> {
  const { home, binaries, user } = server
  if (existsSync(join(home.data, 'PG_VERSION'))) return
  const draft = join(home.cluster, 'data.draft')
  const passwordFile = join(home.cluster, 'initial-password')
  rmSync(draft, { recursive: true, force: true })
  rmSync(passwordFile, { force: true })
  writeFileSync(passwordFile, home.password, { mode: 0o600, flag: 'wx' })
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid)
  const options = ['-D', draft, '-U', SUPERUSER, '--pwfile', passwordFile, ...CLUSTER_OPTIONS]
  if (!server.durable) options.push('--no-sync')
  try {
    const { code, output } = await run(binaries.initdb, options, server)
    if (code !== 0) throw failed(server, 'Creating the embedded database', output)
    renameSync(draft, home.data)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Starts the server and returns its port. The server keeps running if this process ends. */
export async function launch(server: Server): Promise<number> {
  const { home } = server
  disownPidFile(home)
  if (existsSync(home.log)) renameSync(home.log, `${home.log}.old`)
  let output = ''
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort()
    const settings = Object.entries({ ...settingsOf(server.durable), port })
    const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')
    const start = ['start', '-D', home.data, '-l', home.log, '-w', '-t', '60', '-s', '-o', options]
    const result = await run(server.binaries.pgCtl, start, server)
    if (result.code === 0) return port
    output = `${result.output}\n${existsSync(home.log) ? readFileSync(home.log, 'utf8') : ''}`
    // Another process may take the port before the server does.
    if (!output.includes('Address already in use')) break
  }
  throw failed(server, 'Starting the embedded database', output)
}

/**
 * Stops the server: closes connections and writes all data. If that takes too long, stops it at once; it then
 * recovers at its next start.
 */
export async function halt(server: Server, clock: Clock): Promise<void> {
  const pid = readPid(server.home)?.pid
  // `pg_ctl` would stop any process that has this ID now.
  if (pid === undefined || !isServerOf(server.home, pid)) return
  for (const mode of ['fast', 'immediate']) {
    const options = ['stop', '-D', server.home.data, '-m', mode, '-w', '-t', '30', '-s']
    const { code } = await run(server.binaries.pgCtl, options, server)
    if (code === 0 || readPid(server.home) === undefined) break
  }
  // `pg_ctl` waits only until the pid file is deleted, which happens shortly before the process ends.
  const until = clock.elapsed() + EXIT_MS
  while (isRunning(pid) && clock.elapsed() < until) await clock.sleep(10)
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
}

/**
 * Reads the process ID and the port from the pid file of the running server, or of one that crashed.
 * Undefined if the file does not have both.
 */
export function readPid(home: Home): { pid: number; port: number } | undefined {
  try {
    const lines = readFileSync(pidFileOf(home), 'utf8').split('\n')
    const [pid, port] = [Number(lines[0]), Number(lines[3])]
    return pid > 0 && port > 0 && port < 2 ** 16 ? { pid, port } : undefined
  } catch {
    return undefined
  }
}

const pidFileOf = ({ data }: Home): string => join(data, 'postmaster.pid')

/**
 * Releases the pid file of a dead server. After a restart of the machine its process ID may belong to another
 * program, and Postgres would not start. The file stays, with an impossible ID, because Postgres reads from
 * it which shared memory must be unused. A file left empty by a full disk or a power cut is removed.
 */
function disownPidFile(home: Home): void {
  if (process.platform !== 'linux') return
  const file = pidFileOf(home)
  const noted = readPid(home)
  const pids = noted === undefined ? readdirSync('/proc').map(Number) : [noted.pid]
  if (pids.some((pid) => pid > 0 && isServerOf(home, pid))) return
  if (noted === undefined) rmSync(file, { recursive: true, force: true })
  else writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(2 ** 22 + 1)))
}

/** Returns true if the process is this directory's running Postgres; outside Linux, if it runs at all. */
function isServerOf({ data }: Home, pid: number): boolean {
  if (!isRunning(pid)) return false
  if (process.platform !== 'linux') return true
  const folder = `/proc/${pid}`
  try {
    if (readFileSync(join(folder, 'comm'), 'utf8').trim() !== 'postgres') return false
    // A server of this directory runs as its owner; other users' working directories cannot be read.
    if (statSync(folder).uid !== statSync(data).uid) return false
    return realpathSync(join(folder, 'cwd')) === realpathSync(data)
  } catch (error) {
    // If the folder cannot be read, the process counts as the server, unless it has ended meanwhile.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' && isRunning(pid)
  }
}

function run(
  program: string,
  options: readonly string[],
  { user, home }: Server,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, {
      ...user,
      // The server's user may not be able to enter the caller's directory.
      cwd: home.cluster,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    // Not "close": on some systems the server inherits the pipes and never closes them.
    child.once('exit', (code) => resolve({ code, output }))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

function failed({ home }: Server, tried: string, output: string): LoadError {
  const lines = output.trim().split('\n')
  const denied = /permission|ownership/i.test(output)
  return new LoadError('embedded_failed', {
    tried,
    came: lines.slice(-6).join(' / ') || 'the server stopped without a message',
    todo: denied
      ? `give ${home.cluster} and everything in it one owner (chown -R), and ${home.data} the mode 0700`
      : `read ${home.log}; if this machine cannot run Postgres, set database.url to your own`,
  })
}

/** Sorts by code point, with Unicode's case rules, so that all machines give the same order. */
const CLUSTER_OPTIONS = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--auth=scram-sha-256',
]

function settingsOf(durable: boolean): Record<string, string | number> {
  const crash = durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
  return { ...SETTINGS, ...crash }
}

/**
 * Settings for one program that loads much data at once. Failed statements and the details of errors stay out
 * of the log, because they quote rows, which are personal data.
 */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: "''",
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  wal_level: 'minimal',
  max_wal_senders: 0,
  work_mem: '16MB',
  maintenance_work_mem: '64MB',
  jit: 'off',
  timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

const EXIT_MS = 10_000
