import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Cause } from '../../../src/core/define/cause.ts'
import { DeliveryError } from '../../../src/core/errors.ts'
import { createMail } from '../../../src/serve/alerts/mail.ts'
import type { Channel } from '../../../src/serve/alerts/message.ts'
import { type AlertDeps, sendAlerts } from '../../../src/serve/alerts/send-alerts.ts'
import { createWebhook } from '../../../src/serve/alerts/webhook.ts'
import { openAlerts } from '../../../src/serve/ledger/alerts.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'
import { type ManualClock, manualClock } from '../../helpers/manual-clock.ts'
import { causeOf, HOUR, NOW } from './causes.ts'
import { startHookServer } from './hook-server.ts'
import { startMailServer } from './mail-server.ts'

let database: TestDatabase
let warehouse: Warehouse
let hook: Awaited<ReturnType<typeof startHookServer>>
let clock: ManualClock
let events: { name: string; fields: object }[]
beforeEach(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url })
  hook = await startHookServer()
  clock = manualClock(NOW)
  events = []
})
afterEach(async () => {
  await hook.close()
  await warehouse.close()
  await database.drop()
})

const webhook = (): Channel =>
  createWebhook(
    { setting: 'alerts.webhook', url: () => hook.url, form: 'json', timeoutMs: 60_000 },
    { clock },
  )

const depsOf = (channels: readonly Channel[] = [webhook()]): AlertDeps => ({
  warehouse,
  clock,
  observer: { event: (name, fields) => void events.push({ name, fields }) },
  channels,
  rules: { level: 'red', remindMs: 24 * HOUR },
})

interface Sent {
  alerts: { event: string; subject: string; account: string | null }[]
}

/** For each message, the events and their subjects. */
const heard = (): string[][] =>
  hook.taken.map(({ body }) =>
    (JSON.parse(body) as Sent).alerts.map(({ event, subject }) => `${event} ${subject}`),
  )

const tell = (causes: readonly Cause[], judged?: readonly Cause['account'][]) =>
  sendAlerts(depsOf(), causes, judged)

describe('an alert', () => {
  it('is one message for all causes, with one reminder a day and one message when resolved', async () => {
    const causes = Array.from({ length: 20 }, (_, at) => causeOf(`job-${at}`))
    expect(await tell(causes)).toEqual([
      { channel: 'webhook', told: 20, reminded: 0, recovered: 0 },
    ])
    await tell(causes)
    await clock.advance(24 * HOUR)
    await tell(causes.slice(0, 2))
    await tell([])
    await tell([])
    expect(heard().map((one) => one.length)).toEqual([20, 20, 2])
    expect(heard()[1]?.slice(0, 2)).toEqual(['reminder job-0', 'reminder job-1'])
    expect(heard()[1]?.filter((text) => text.startsWith('recovered'))).toHaveLength(18)
    expect(heard()[2]).toEqual(['recovered job-0', 'recovered job-1'])
    expect(await openAlerts(warehouse.db, 100)).toEqual([])
  })

  it('is in the alert table while it is open', async () => {
    await tell([causeOf('users'), causeOf('disk', { account: undefined, code: 'disk_low' })])
    await clock.advance(25 * HOUR)
    await tell([causeOf('users'), causeOf('disk', { account: undefined, code: 'disk_low' })])
    const open = await openAlerts(warehouse.db, 100)
    expect(open).toHaveLength(2)
    expect(open).toContainEqual({
      channel: 'webhook',
      name: JSON.stringify(['job_failing', 'main', 'users']),
      cause: causeOf('users'),
      toldLevel: 'red',
      firstToldMs: NOW,
      toldMs: NOW + 25 * HOUR,
      recoveredMs: undefined,
      attempts: 0,
      lastError: undefined,
      busy: false,
    })
  })

  it('is stored whatever characters its sentence has', async () => {
    const odd = causeOf('users', { sentence: 'a\0b\ud800', todo: 'x'.repeat(5_000) })
    expect(await tell([odd])).toMatchObject([{ told: 1 }])
    expect(await tell([odd])).toMatchObject([{ told: 0 }])
    const [open] = await openAlerts(warehouse.db, 100)
    expect(open?.cause).toMatchObject({ sentence: 'a\u2400b\ufffd', todo: 'x'.repeat(2_000) })
  })

  it('is not resolved by an evaluation that did not check its account or the disks', async () => {
    const disk = causeOf('disk', { account: undefined, code: 'disk_low' })
    await tell([causeOf('users'), causeOf('users', { account: 'eu' }), disk], undefined)
    await tell([], ['eu'])
    expect(heard()[1]).toEqual(['recovered users'])
    await tell([], ['main', undefined])
    expect(heard()[2]).toEqual(['recovered disk', 'recovered users'])
  })
})

describe('a channel that fails', () => {
  it('is logged, is tried again at the next evaluation, and delays no other channel', async () => {
    const server = await startMailServer({ tls: 'none' })
    const { port } = server
    const mailServer = { host: '127.0.0.1', port, tls: 'none' as const, from: 'a@example.com' }
    const mail = createMail(
      { server: { ...mailServer, timeoutMs: 60_000 }, to: ['b@example.com'] },
      { clock },
    )
    hook.state.answer = 503
    const both = depsOf([webhook(), mail])
    expect(await sendAlerts(both, [causeOf('users')])).toEqual([
      { channel: 'webhook', told: 0, reminded: 0, recovered: 0, error: 'delivery_refused' },
      { channel: 'mail', told: 1, reminded: 0, recovered: 0 },
    ])
    expect(events).toContainEqual({
      name: 'alert failed',
      fields: expect.objectContaining({
        level: 'warn',
        channel: 'webhook',
        code: 'delivery_refused',
      }),
    })
    const failed = (await openAlerts(warehouse.db, 100)).find(
      ({ channel }) => channel === 'webhook',
    )
    expect(failed).toMatchObject({ attempts: 1, lastError: 'delivery_refused', toldMs: undefined })
    hook.state.answer = 200
    expect(await sendAlerts(both, [causeOf('users'), causeOf('calls')])).toMatchObject([
      { channel: 'webhook', told: 2 },
      { channel: 'mail', told: 1 },
    ])
    expect(server.taken).toHaveLength(2)
    await server.close()
  })

  it('reports no cause that ended before it could be reported', async () => {
    hook.state.answer = 503
    await tell([causeOf('users')])
    hook.state.answer = 200
    expect(await tell([])).toMatchObject([{ told: 0, recovered: 0 }])
    expect(hook.taken).toHaveLength(1)
    expect(await openAlerts(warehouse.db, 100)).toEqual([])
    await tell([causeOf('users')])
    expect(heard()[1]).toEqual(['new users'])
  })

  it('reports a resolved cause once the channel works again', async () => {
    await tell([causeOf('users')])
    hook.state.answer = 503
    await tell([])
    hook.state.answer = 200
    await tell([])
    await tell([])
    expect(heard()).toEqual([['new users'], ['recovered users'], ['recovered users']])
  })

  it('reports only the kind of an unexpected error', async () => {
    const broken: Channel = { name: 'command', send: () => Promise.reject(new TypeError('secret')) }
    expect(await sendAlerts(depsOf([broken]), [causeOf('users')])).toMatchObject([
      { error: 'unexpected' },
    ])
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it('for some recipients causes a warning, and its alert counts as sent', async () => {
    const partly: Channel = { name: 'mail', send: () => Promise.resolve('1 of 2 were refused') }
    await sendAlerts(depsOf([partly]), [causeOf('users')])
    expect(events[0]).toEqual({
      name: 'alert warning',
      fields: { channel: 'mail', reason: '1 of 2 were refused' },
    })
    expect((await openAlerts(warehouse.db, 100))[0]).toMatchObject({ toldMs: NOW })
  })
})

describe('two processes that send alerts', () => {
  it('send an alert once if they evaluate at the same time', async () => {
    const other = connect({ url: database.url })
    const causes = [causeOf('users'), causeOf('calls')]
    const results = await Promise.all(
      [warehouse, other, warehouse, other].map((own) =>
        sendAlerts({ ...depsOf(), warehouse: own }, causes),
      ),
    )
    await other.close()
    expect(heard()).toEqual([['new users', 'new calls']])
    expect(
      results
        .flat()
        .map(({ told }) => told)
        .toSorted((one, next) => one - next),
    ).toEqual([0, 0, 0, 2])
  })

  it('do not send each other’s alerts in progress, and take over unfinished ones', async () => {
    hook.state.answer = 'nothing'
    const came = hook.nextTaken()
    const stop = new AbortController()
    const slow = sendAlerts({ ...depsOf(), signal: stop.signal }, [causeOf('users')])
    const ended = slow.catch((error: unknown) => error)
    await came
    hook.state.answer = 200
    expect(await tell([causeOf('users')])).toMatchObject([{ told: 0 }])
    expect(await tell([])).toMatchObject([{ recovered: 0 }])
    // Simulates that the process died some time ago.
    await warehouse.db
      .updateTable('callsheet.alerts')
      .set({ claimed_until: '2026-01-01T00:00:00Z' })
      .execute()
    expect(await tell([causeOf('users')])).toMatchObject([{ told: 1 }])
    stop.abort(new Error('stopped'))
    expect(await ended).toMatchObject({ message: 'stopped' })
    expect((await openAlerts(warehouse.db, 100))[0]).toMatchObject({ toldMs: NOW, attempts: 0 })
  })

  it('release their claims if they are stopped while sending', async () => {
    const stop = new AbortController()
    const stopped: Channel = {
      name: 'command',
      send: () => {
        stop.abort(new Error('stopped'))
        return Promise.reject(new DeliveryError('delivery_late', true, { tried: 'x', came: 'y' }))
      },
    }
    const deps = { ...depsOf([stopped]), signal: stop.signal }
    await expect(sendAlerts(deps, [causeOf('users')])).rejects.toThrow('x: y')
    expect(events).toEqual([])
    expect((await openAlerts(warehouse.db, 100))[0]).toMatchObject({ busy: false, attempts: 0 })
  })
})
