import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../../src/warehouse/connect.ts'
import { type Embedded, startEmbedded } from '../../../src/warehouse/embedded/embedded.ts'
import { isRunning, thisProcess } from '../../../src/warehouse/holder.ts'
import { saidByKilled } from '../../helpers/said-by-killed.ts'

let directory: string
const servers: Embedded[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-embedded-'))
  chmodSync(directory, 0o755)
})
afterEach(async () => {
  try {
    for (const server of servers.splice(0)) await server.stop()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

describe('the embedded Postgres', () => {
  it('starts in an empty directory, keeps its data after a stop, and leaves no process', async () => {
    const first = await start()
    await run(first.url, 'create table public.kept as select 1 as n')
    const pid = serverPid()
    await first.stop()
    expect(isRunning(pid)).toBe(false)
    const second = await start()
    expect(await run(second.url, 'select n from public.kept')).toEqual([{ n: 1 }])
  })

  it('sorts by code point, has a case mapping for all letters, and uses UTF-8 and UTC', async () => {
    const { url } = await start(directory, true)
    const [row] = await run(
      url,
      `select lower('ÄÉ') as low, 'Z' < 'a' as points, current_setting('server_encoding') as code,
        current_setting('timezone') as zone, current_setting('synchronous_commit') as commit`,
    )
    expect(row).toEqual({ low: 'äé', points: true, code: 'UTF8', zone: 'UTC', commit: 'on' })
  })

  it('requires a password that only its owner can read, and logs no statement and no value', async () => {
    const { url } = await start()
    expect(statSync(join(directory, 'password')).mode & 0o777).toBe(0o600)
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(run(wrong.href, 'select 1')).rejects.toMatchObject({
      code: 'database_login_refused',
    })
    await expect(run(url, "select 'canary'::int")).rejects.toThrow('the data was refused')
    await expect(run(url, 'select canary_column')).rejects.toThrow('canary_column')
    const log = readFileSync(join(directory, 'cluster', 'server.log'), 'utf8')
    expect(log).toContain('ready to accept connections')
    expect(log).not.toMatch(/STATEMENT|canary/)
  })

  it('is reused after the process that started it was killed', async () => {
    const url = await startInKilledProcess()
    const pid = serverPid()
    expect(isRunning(pid)).toBe(true)
    const taken = await start()
    expect(taken.url).toBe(url)
    expect(serverPid()).toBe(pid)
    await taken.stop()
    expect(isRunning(pid)).toBe(false)
    expect(readdirSync(join(directory, 'users'))).toEqual([])
  })

  it('is shared by processes that start it in parallel, and stopped by the last one', async () => {
    const [one, two] = await Promise.all([start(), start()])
    expect(one.url).toBe(two.url)
    await one.stop()
    expect(await run(two.url, 'select 1 as n')).toEqual([{ n: 1 }])
    const pid = serverPid()
    await two.stop()
    expect(isRunning(pid)).toBe(false)
  })

  it('recovers after it was killed', async () => {
    const first = await start(directory, true)
    await run(first.url, 'create table public.kept as select 1 as n')
    process.kill(serverPid(), 'SIGKILL')
    await expect.poll(() => isRunning(serverPid())).toBe(false)
    const second = await start(directory, true)
    expect(await run(second.url, 'select n from public.kept')).toEqual([{ n: 1 }])
  })

  it('starts despite files that killed processes left behind', async () => {
    const first = await start()
    await first.stop()
    writeFileSync(join(directory, 'lock'), JSON.stringify({ ...thisProcess(), started: 'earlier' }))
    writeFileSync(join(directory, 'users', '99-1'), 'broken')
    mkdirSync(join(directory, 'cluster', 'data.draft'))
    writeFileSync(pidFileIn(directory), pidFile(process.pid))
    const second = await start()
    expect(await run(second.url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('starts even if its old process ID now belongs to another server, which keeps running', async () => {
    await (await start()).stop()
    const elsewhere = mkdtempSync(join(directory, 'other-'))
    chmodSync(elsewhere, 0o755)
    const other = await start(elsewhere)
    const theirs = serverPid(elsewhere)
    for (const port of [1, Number(new URL(other.url).port)]) {
      const leave = () => writeFileSync(pidFileIn(directory), pidFile(theirs, port))
      leave()
      const ours = await start()
      expect(await run(ours.url, 'select 1 as n')).toEqual([{ n: 1 }])
      const pid = serverPid()
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => isRunning(pid)).toBe(false)
      leave()
      await ours.stop()
      expect(await run(other.url, 'select 1 as n')).toEqual([{ n: 1 }])
    }
  })

  it('starts even if a full disk or a power cut emptied or damaged Callsheet’s files for it', async () => {
    await (await start()).stop()
    const garbled = ['', '\n', 'no number\n', '1234', pidFile(1234, 0), pidFile(-1), '\0\u{1}\0']
    for (const text of garbled) {
      writeFileSync(pidFileIn(directory), text)
      const server = await start()
      expect(await run(server.url, 'select 1 as n')).toEqual([{ n: 1 }])
      await server.stop()
    }
    for (const text of ['', '{"host":']) {
      writeFileSync(join(directory, 'lock'), text)
      await (await start()).stop()
    }
  })

  it.runIf(process.getuid?.() === 0)(
    'names the folder and both users if another user created it',
    async () => {
      await (await start()).stop()
      const cluster = join(directory, 'cluster')
      chownSync(cluster, 4321, 4321)
      await expect(start()).rejects.toMatchObject({ code: 'embedded_foreign' })
      await expect(start()).rejects.toThrow(/cluster belongs to user 4321, not to user \d+/)
    },
  )

  it.runIf(process.getuid?.() === 0)(
    'runs as an ordinary user if root starts it, even in a folder that others cannot enter',
    async () => {
      const { stop } = await start()
      expect(statSync(join(directory, 'cluster', 'data')).uid).not.toBe(0)
      await stop()
      const closed = join(directory, 'closed')
      mkdirSync(closed, { mode: 0o700 })
      const inside = await start(join(closed, 'postgres'))
      expect(await run(inside.url, 'select 1 as n')).toEqual([{ n: 1 }])
      const link = join(closed, 'postgres', 'cluster')
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      const elsewhere = realpathSync(link)
      await inside.stop()
      rmSync(elsewhere, { recursive: true })
      expect(existsSync(link)).toBe(false)
    },
  )
})

async function start(where = directory, durable = false): Promise<Embedded> {
  const server = await startEmbedded({ directory: where, durable })
  servers.push(server)
  return server
}

async function run(url: string, statement: string): Promise<unknown[]> {
  const warehouse = connect({ url, poolSize: 1 })
  try {
    return (await sql.raw(statement).execute(warehouse.db)).rows
  } finally {
    await warehouse.close()
  }
}

const pidFileIn = (home: string): string => join(home, 'cluster', 'data', 'postmaster.pid')

const serverPid = (home = directory): number =>
  Number(readFileSync(pidFileIn(home), 'utf8').split('\n')[0])

const pidFile = (pid: number, port = 1): string =>
  `${pid}\n/nowhere\n1\n${port}\n\n127.0.0.1\n0 0\nready\n`

async function startInKilledProcess(): Promise<string> {
  const module = new URL('../../../src/warehouse/embedded/embedded.ts', import.meta.url).href
  return await saidByKilled(`import { startEmbedded } from '${module}'
    const { url } = await startEmbedded({ directory: ${JSON.stringify(directory)}, durable: false })
    process.stdout.write(url)`)
}
