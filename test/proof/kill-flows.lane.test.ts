import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Output } from '../../src/cli/frame/output.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { decide, heard, type Speaking } from '../cli/browser.ts'
import { TEMPLATE } from '../helpers/database-url.ts'
import { freePort } from '../helpers/free-port.ts'
import { POINTS } from '../helpers/kill-points.ts'
import { runFlow } from './flow-order.ts'
import { startFlow } from './kill/child-process.ts'
import { logIn, storedIn, syncTold } from './login-steps.ts'
import { type Order, withAccount } from './run-order.ts'
import { openStage, type Stage } from './stage.ts'

const HOUR_MS = 3_600_000
const SIZES = { users: 5, sessions: 2, whiteboards: 2, activities: 2, recordings: 2, numbers: 2 }
/** How a person allows the account's app. */
type Way = 'in a browser' | 'as a public client' | 'on a device'

let stage: Stage
/** The same account as an app of each kind. */
const configFiles = new Map<Way, string>()

beforeAll(async () => {
  const redirectUrl = `http://127.0.0.1:${await freePort()}/callback`
  const habits = { refreshGraceMs: 0, deviceIntervalMs: 1_000 }
  stage = await openStage(
    { url: inject('serverUrl'), template: TEMPLATE },
    { seed: 15, sizes: SIZES, habits, accounts: [{ redirectUrl }] },
  )
  const clientId = stage.sandbox.credentials[0]?.publicClientId
  configure('in a browser', { app: 'user-authorized', redirectUrl })
  configure('as a public client', {
    app: 'public-client',
    redirectUrl,
    clientId,
    clientSecret: null,
  })
  configure('on a device', { app: 'device' })
})
afterAll(() => stage.close())

function configure(way: Way, settings: object): void {
  const usual = JSON.parse(readFileSync(stage.order('').configFile, 'utf8'))
  const file = join(stage.directory, `${way.replaceAll(' ', '-')}.yaml`)
  const accounts = [{ ...usual.accounts[0], ...settings }]
  writeFileSync(file, JSON.stringify({ ...usual, accounts }))
  configFiles.set(way, file)
}

function orderFor(way: Way, database: string): Order {
  const configFile = configFiles.get(way) ?? ''
  return stage.order(database, { jobs: ['users'], configFile })
}

function placeOf(way: Way, database: string) {
  const { configFile, databaseUrl, nowMs } = orderFor(way, database)
  return { configFile, databaseUrl, nowMs }
}

/** What a person does for a login that is under way; `goOn` tells it that the time to ask has come. */
async function allow(way: Way, login: Speaking, goOn: () => void): Promise<void> {
  if (way === 'on a device') {
    await decide(await heard(login, /Or open (http:\S+),/), 'allow')
    stage.sandbox.advance(INTERVAL_MS)
    return goOn()
  }
  const url = await heard(login, /(http:\S+\/oauth\/authorize\S+)[\s\S]*Waiting/)
  const back = await decide(url, 'allow')
  // Whoever is killed by what it hears may not come to answer.
  await fetch(back.headers.get('location') ?? '').catch(() => undefined)
}

/** A login by a process that dies at a hit; answers the signal that ended it. */
async function logInThere(way: Way, database: string, hit: string) {
  const login = await startFlow({ command: 'login', ...placeOf(way, database) }, hit)
  await allow(way, login, () => login.child.stdin?.write('now\n'))
  await login.ended
  return login.child.signalCode
}

/** The same undisturbed; answers the exit code. */
async function logInHere(way: Way, database: string): Promise<number> {
  const stderr = new PassThrough()
  const time = Promise.withResolvers<void>()
  const output = { ...SILENT, note: (text: string) => void stderr.write(`${text}\n`) }
  const order = { command: 'login', ...placeOf(way, database) } as const
  const code = runFlow(order, output, () => time.promise)
  const ended = code.then(() => ({ stderr: '' }))
  await allow(way, { child: { stderr }, ended }, time.resolve)
  return await code
}

const given = (): number => stage.sandbox.stats().tokenRenewals
const placesOf = (...kinds: string[]) =>
  POINTS.filter((name) => kinds.includes(name.split(':')[0] ?? ''))

/** Rows of tokens, and what is half of one or still claimed. */
function tokenRows(order: Order) {
  return withAccount(order, async (_account, { warehouse }) => {
    const { rows } = await sql<{ rows: number; halves: number }>`
      select count(*) as rows, count(*) filter (where claimed_by is not null
        or (ciphertext is null) <> (grant_ciphertext is null)) as halves
      from callsheet.tokens`.execute(warehouse.db)
    return rows[0]
  })
}

interface Case {
  way: Way
  name: string
  /** Logins that there were before. */
  before: 0 | 1
}

const CASES: readonly Case[] = [
  { way: 'in a browser', name: 'login:exchanging', before: 0 },
  { way: 'in a browser', name: 'login:granted', before: 1 },
  { way: 'in a browser', name: 'login:persisting', before: 0 },
  { way: 'in a browser', name: 'login:persisted', before: 1 },
  { way: 'as a public client', name: 'login:exchanging', before: 1 },
  { way: 'as a public client', name: 'login:granted', before: 0 },
  { way: 'as a public client', name: 'login:persisted', before: 0 },
  { way: 'on a device', name: 'device:polling', before: 1 },
  { way: 'on a device', name: 'device:granted', before: 0 },
  { way: 'on a device', name: 'login:persisting', before: 1 },
  { way: 'on a device', name: 'login:persisted', before: 0 },
]
/** Before these the service has given nothing yet. */
const UNSENT: readonly string[] = ['login:exchanging', 'device:polling']

describe('a login that is killed', () => {
  it('passes every one of its failpoints', () => {
    const tried = new Set(CASES.map(({ name }) => name))
    expect(tried).toEqual(new Set(placesOf('login', 'device')))
  })

  it.each(CASES)(
    '($way at $name, after $before others) leaves the old or the new login',
    async ({ way, name, before }) => {
      const database = await stage.clone()
      try {
        const order = () => orderFor(way, database)
        if (before > 0) await logIn({ ...order(), configFile: fileToLogInWith(way) })
        const tokens = given()
        expect(await logInThere(way, database, `${name}#1`)).toBe('SIGKILL')
        expect(given() - tokens).toBe(UNSENT.includes(name) ? 0 : 1)

        // The grant is there as a whole, or as it was before.
        const whole = before + (name === 'login:persisted' ? 1 : 0)
        expect(await tokenRows(order())).toEqual({ rows: Math.min(whole, 1), halves: 0 })
        expect((await storedIn(order()))?.version ?? 0).toBe(whole)
        const { end, todo } = await syncTold(order())
        expect(end).toBe(whole > 0 ? 'complete' : 'failed needs_reauth')
        expect(todo).toMatch(whole > 0 ? /^$/ : /login --account account-0$/)

        // The same command again ends as it would have ended.
        expect(await logInHere(way, database)).toBe(0)
        expect(await tokenRows(order())).toEqual({ rows: 1, halves: 0 })
        expect((await storedIn(order()))?.version).toBe(whole + 1)
        stage.sandbox.advance(HOUR_MS)
        expect((await syncTold(order())).end).toBe('complete')
        expect((await storedIn(order()))?.version).toBe(whole + 2)
      } finally {
        await stage.drop(database)
      }
    },
  )
})

/** A device's app is one that can be allowed in a browser too. */
const fileToLogInWith = (way: Way): string =>
  configFiles.get(way === 'on a device' ? 'in a browser' : way) ?? ''

/** Where a logout dies, and how a sync ends that follows it. */
const LOGOUTS = [
  ['logout:revoking', 'complete'],
  ['logout:revoked', 'complete'],
  ['logout:forgetting', 'complete'],
  ['logout:forgotten', 'failed needs_reauth'],
] as const

describe('a logout that is killed', () => {
  it('passes every one of its failpoints', () =>
    expect(new Set<string>(LOGOUTS.map(([name]) => name))).toEqual(new Set(placesOf('logout'))))

  it.each(LOGOUTS)(
    'at %s is followed by a sync that ends %s, or by another logout',
    async (...of) => {
      const [name, end] = of
      const databases = [await stage.clone()]
      try {
        const [database = ''] = databases
        await logIn(orderFor('in a browser', database))
        const order = { command: 'logout', ...placeOf('in a browser', database) } as const
        const logout = await startFlow(order, `${name}#1`)
        await logout.ended
        expect(logout.child.signalCode).toBe('SIGKILL')
        databases.push(await stage.clone(database))

        const refused = stage.sandbox.stats().unauthorized
        expect((await syncTold(orderFor('in a browser', database))).end).toBe(end)
        const worthless = name === 'logout:revoked' || name === 'logout:forgetting'
        expect(stage.sandbox.stats().unauthorized > refused).toBe(worthless)
        for (const each of databases) await endsLoggedOut(each)
      } finally {
        for (const each of databases) await stage.drop(each)
      }
    },
  )
})

/** Another logout succeeds and keeps nothing; a person can log in again. */
async function endsLoggedOut(database: string): Promise<void> {
  const order = { command: 'logout', ...placeOf('in a browser', database) } as const
  expect(await runFlow(order, SILENT, systemClock.sleep)).toBe(0)
  const kept = await storedIn(orderFor('in a browser', database))
  expect(kept).toMatchObject({ accessToken: '', needsReauth: 'it was logged out' })
  expect(kept?.grant).toBeUndefined()
  const { end, todo } = await syncTold(orderFor('in a browser', database))
  expect(end).toBe('failed needs_reauth')
  expect(todo).toMatch(/login --account account-0$/)
  await logIn(orderFor('in a browser', database))
  expect((await syncTold(orderFor('in a browser', database))).end).toBe('complete')
}

const quiet = (): void => undefined
const SILENT: Output = { terminal: false, line: quiet, table: quiet, note: quiet, result: quiet }
/** Of the service: how often a device may ask. */
const INTERVAL_MS = 5_000
