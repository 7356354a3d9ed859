import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { psqlEnvironment } from '../../src/cli/psql.ts'
import { openWorkbench, start, type Workbench } from './workbench.ts'

const there = spawnSync('psql', ['--version']).status === 0
if (!there) process.stdout.write('NOT RUN: what needs psql, which this machine lacks\n')

let bench: Workbench
beforeAll(async () => void (bench = await openWorkbench()))
afterAll(() => bench.close())

describe.runIf(there)('the psql of this machine', () => {
  it('is opened on the configured database', async () => {
    const query = 'select current_database()'
    const { code, stdout, stderr } = await bench.run('psql', '--', '-XAt', '-c', query)
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${new URL(bench.databaseUrl).pathname.slice(1)}\n`,
      stderr: '',
    })
  })

  it('gets the password in its environment, not in its arguments', async () => {
    const shown = '\\! tr "\\\\0" " " < /proc/$PPID/cmdline; echo; echo $PGPASSWORD'
    const { stdout } = await bench.run('psql', '--', '-XAt', '-c', shown)
    const [args = '', password = ''] = stdout.split('\n')
    expect(args).toMatch(/psql -XAt -c /)
    expect(password).toBe(decodeURIComponent(new URL(bench.databaseUrl).password))
    expect(password).not.toBe('')
    expect(args).not.toContain(password)
  })

  it('determines the exit code of the command', async () => {
    expect((await bench.run('psql', '--', '-X', '-c', 'select nothing')).code).toBe(1)
    expect((await bench.run('psql', '--', '-X', '-d', 'no_such_database')).code).toBe(2)
  })

  it('handles Ctrl-C itself, and ends when the command is terminated', async () => {
    const { child, ended } = bench.start('psql', '--', ...SLEEPS)
    await once(child.stdout, 'asleep')
    child.kill('SIGINT')
    await wait(200)
    expect(child.exitCode).toBeNull()
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
  })

  it('keeps an embedded server running until it ends, even if another command ends earlier', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-psql-'))
    try {
      await start(['init'], { folder }).ended
      const first = start(['psql', '--', ...SLEEPS], { folder })
      await once(first.child.stdout, 'asleep')
      const second = await start(['psql', '--', '-XAt', '-c', 'select 2'], { folder }).ended
      expect(second).toEqual({ code: 0, stdout: '2\n', stderr: '' })
      const pid = join(folder, '.callsheet/postgres/cluster/data/postmaster.pid')
      expect(existsSync(pid)).toBe(true)
      first.child.kill('SIGTERM')
      await first.ended
      expect(existsSync(pid)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the address from psql --url', () => {
  it('omits the password without a terminal, and names the option that prints it', async () => {
    const { code, stdout, stderr } = await bench.run('psql', '--url')
    const url = new URL(stdout.trim())
    expect([code, url.password]).toEqual([0, ''])
    expect(url.username).toBe(new URL(bench.databaseUrl).username)
    expect(stderr).toContain('--with-password')
  })

  it('includes the password with --with-password', async () => {
    const { stdout, stderr } = await bench.run('psql', '--url', '--with-password')
    expect([stdout, stderr]).toEqual([`${bench.databaseUrl}\n`, ''])
    const json = await bench.run('psql', '--url', '--with-password', '--json')
    expect(JSON.parse(json.stdout)).toEqual({ url: bench.databaseUrl, embedded: false })
  })

  it('is suggested as the alternative on a machine without psql', async () => {
    const { code, stderr } = await bench.startWith({ environment: { PATH: '/nowhere' } }, 'psql')
      .ended
    expect(code).toBe(2)
    expect(stderr).toContain('psql on the PATH')
    expect(stderr).toContain('callsheet psql --url')
  })
})

it('psql verifies the certificate of another host, as Callsheet does', () => {
  const set = psqlEnvironment(
    'postgresql://u:p%40ss@db.example.com:6000/d?sslmode=verify-full',
    false,
  )
  expect(set).toMatchObject({
    PGHOST: 'db.example.com',
    PGPORT: '6000',
    PGUSER: 'u',
    PGPASSWORD: 'p@ss',
    PGDATABASE: 'd',
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: 'system',
  })
})

/** Signals the start by a shell command, because psql buffers its own output until it ends. */
const SLEEPS = ['-XAt', '-c', '\\! echo asleep', '-c', 'select pg_sleep(20)']

async function once(stream: NodeJS.ReadableStream | null, text: string): Promise<void> {
  let said = ''
  await new Promise<void>((resolve) =>
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes(text)) resolve()
    }),
  )
}
