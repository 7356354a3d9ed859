import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { startThrowawayServer } from '../helpers/throwaway-server.ts'
import { type Ended, openWorkbench, type Started, type Workbench } from './workbench.ts'

/** Accounts main and other, synced into one server, and a second server that was never used. */
export interface MoveBench {
  bench: Workbench
  home: Warehouse
  east: Warehouse
  /** A person whom an erasure took out of main. */
  erased: string
  /** Puts main into a database by its setting, and other always into the first. */
  configure(database: 'default' | 'east', top?: readonly string[]): void
  begin(args: readonly string[], more?: Record<string, string>): Started
  run(...args: string[]): Promise<Ended>
  close(): Promise<void>
}

/** Main has versions, files, evidence, a hold, a published report and an erased person. */
export async function openMoveBench(): Promise<MoveBench> {
  const bench = await openWorkbench({ accounts: [{}, {}] })
  const server = await startThrowawayServer()
  const [, app] = bench.sandbox.credentials
  const secrets = { SECRET_2: app?.clientSecret ?? '', KEY_2: app?.apiSecret ?? '' }
  const home = connect({ url: bench.databaseUrl })
  const east = connect({ url: server.url })
  const moving: MoveBench = {
    bench,
    home,
    east,
    erased: '',
    configure(database, top = []) {
      bench.configure({
        account: [`database: ${database}`],
        top: ['databases: {east: {url: env:EAST}}', 'archive: {files: true}', ...top],
      })
      const { baseUrl, authUrl } = bench.sandbox
      const other = [
        '  - name: other',
        `    baseUrl: ${baseUrl}`,
        `    authUrl: ${authUrl}`,
        `    accountId: ${app?.accountId}`,
        `    clientId: ${app?.clientId}`,
        '    clientSecret: env:SECRET_2',
        `    videoSessions: {apiKey: ${app?.apiKey}, apiSecret: env:KEY_2}`,
        `    quotas: {${QUOTAS}}`,
      ]
      appendFileSync(join(bench.folder, 'config.yaml'), `${other.join('\n')}\n`)
    },
    begin: (args, more = {}) =>
      bench.startWith({ environment: { ...secrets, EAST: server.url, ...more } }, ...args),
    run: (...args) => moving.begin(args).ended,
    async close() {
      await Promise.all([home.close(), east.close()])
      await server.stop()
      await bench.close()
    },
  }
  await fill(moving)
  return moving
}

async function fill(moving: MoveBench): Promise<void> {
  const { bench, home, run } = moving
  moving.configure('default')
  await done(run('sync'))
  const url = `${bench.sandbox.url}/__sandbox/mutate`
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  await done(run('sync', '--full', '--account', 'main'))
  const { rows } = await sql<{ id: string }>`select id from svc.users
    where account = 'main' and status = 'active' order by id limit 1`.execute(home.db)
  moving.erased = rows[0]?.id ?? ''
  await run('report', 'number-inventory', '--account', 'main', '--format', 'csv')
  const hold = ['archive', 'hold', 'add', 'case-7', '--reason', 'court', '--account', 'main']
  await done(run(...hold))
  const { stdout } = await run('erase', '--user', moving.erased, '--yes', '--account', 'main')
  if (!stdout.includes('erased')) throw new Error(stdout)
}

const QUOTAS =
  'LIGHT: {perSecond: 900}, MEDIUM: {perSecond: 900}, RESOURCE-INTENSIVE: {perMinute: 6000}'

async function done(command: Promise<Ended>): Promise<void> {
  const { code, stderr } = await command
  if (code !== 0) throw new Error(stderr)
}
