import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TIMINGS } from '../../sandbox/notices/scenarios.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { NOW_MS, openStage, SECRETS, type Stage, spell } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ seed: 5, toldTwice: 0.5, readings: { eventNames: 'examples' } })
  await stage.ask('subscriptions', { url: stage.address(), secret: SECRETS[0] })
})
afterAll(() => stage.close())

interface Told {
  notices: number
  sent: number
  standing: { thing: string; key: string[]; state: string }[]
}

/** The states according to the simulated service. */
const truth = async (): Promise<string[]> => {
  const { standing } = await stage.ask<Told>('notifications')
  return standing.map(spell).toSorted()
}

describe('the state that notifications lead to', () => {
  it.each([
    ['a room', ['created', 'updated', 'updated', 'updated', 'deleted'], 'room r: deleted'],
    ['an alert of two kinds', [1, 3, 2, 3, 2], 'room_alert r 3 1: cleared'],
  ])('is the same for every order of five notifications about %s', async (what, words, state) => {
    const ends = await endsOf(what, words.map(wordOf))
    expect(ends.orders).toBe(120)
    expect([...ends.states]).toHaveLength(1)
    expect([...ends.states].join()).toContain(state)
  })

  it('is the same for every order of notifications with equal times', async () => {
    const words = ['updated', 'updated', 'deleted', 'created'].map((word, at) => ({
      ...wordOf(word, 0),
      payload: { object: { id: 'r', room_name: `named ${at}` } },
    }))
    const { orders, states } = await endsOf('tie', words)
    expect(orders).toBe(24)
    expect([...states]).toEqual([expect.stringMatching(/^room r: deleted of [0-9a-f]{64}$/)])
  })

  it('equals the service’s state, and repeated notifications are stored once', async () => {
    await stage.ask('happen', { count: 40 })
    const { notices, sent } = await stage.ask<Told>('notifications')
    expect(sent).toBeGreaterThan(notices + 10)
    expect(
      await stage.stored().then((rows) => rows.filter(({ account }) => account === 'account-0')),
    ).toHaveLength(notices)
    expect((await truth()).length).toBeGreaterThan(20)
    expect(await stage.standing()).toEqual(await truth())
  })

  it('is "cleared" for a resolved alert, and "observed" for one that was only marked as seen', async () => {
    await stage.ask('happen', { scenarios: ['mended-alert', 'alert', 'observed-alert'] })
    const told = (await stage.stored()).filter(({ account }) => account === 'account-0')
    const kinds = (state: string) =>
      told.filter(
        ({ payload }) =>
          (payload?.payload?.object as { alert_kind?: number })?.alert_kind === KINDS[state],
      )
    expect(kinds('triggered').length).toBeGreaterThan(kinds('cleared').length)
    const now = await stage.standing()
    expect(now).toEqual(await truth())
    for (const state of ['triggered', 'cleared', 'observed'])
      expect(now.some((line) => line.startsWith('room_alert') && line.endsWith(state))).toBe(true)
    const { rows } = await sql<{ state: string; room_name: string }>`
      select state, room_name from report.room_alerts where account = 'account-0'`.execute(
      stage.warehouse.db,
    )
    expect(rows.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['triggered', 'cleared', 'observed']),
    )
    expect(rows.every(({ room_name }) => room_name.startsWith('Room '))).toBe(true)
  })
})

describe('the times in notifications', () => {
  it.each(TIMINGS.slice(1))(
    'can have any format (%s), and a notification without a time is stored without one',
    async (timing) => {
      const before = (await stage.stored()).length
      await stage.ask('happen', { scenarios: ['reservation', 'room', 'workspace'], timing })
      const rows = (await stage.stored()).slice(before)
      expect(rows).toHaveLength(14)
      if (timing === 'none') {
        // Without times their order is unknown, so only the notifications are stored.
        expect(rows.map(({ event_at }) => event_at)).toEqual(rows.map(() => null))
        return
      }
      for (const { event_at } of rows) {
        const agoMs = NOW_MS - Date.parse(event_at ?? '')
        expect(agoMs).toBeGreaterThan(59_000)
        expect(agoMs).toBeLessThan(7 * 60_000)
      }
      expect(await stage.standing()).toEqual(await truth())
    },
  )
})

/** The final states for each order, with the hash of the deciding notification; an account per order. */
async function endsOf(what: string, words: readonly object[]) {
  const deps = { warehouse: stage.warehouse, clock: stage.sandbox.clock, observer: silentObserver }
  const orders = permutations(words.map((word) => Buffer.from(JSON.stringify(word))))
  const ends = orders.map(async (order, at) => {
    const receiving = {
      account: `${what} ${at}`,
      accountId: null,
      clientId: null,
      secret: 's',
    }
    for (const body of order) await receiveNotification(deps, receiving, body)
    const { rows } = await sql<{ said: string }>`
      select thing || ' ' || array_to_string(key, ' ') || ': ' || state || ' of ' || encode(hash, 'hex')
        as said
      from callsheet.event_states where account = ${receiving.account} order by 1`.execute(
      stage.warehouse.db,
    )
    return rows.map(({ said }) => said).join(', ')
  })
  return { orders: orders.length, states: new Set(await Promise.all(ends)) }
}

function wordOf(word: string | number, at: number) {
  const event_ts = NOW_MS - 600_000 + at * 1000
  const object = { id: 'r', room_name: 'Blue' }
  if (typeof word === 'string') return { event: `svcroom.${word}`, event_ts, payload: { object } }
  const alert = { ...object, alert_type: 3, component: 1, alert_kind: word }
  return { event: 'svcroom.alert', event_ts, payload: { object: alert } }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) =>
    permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]),
  )
}

const KINDS: Record<string, number> = { triggered: 1, cleared: 2, observed: 3 }
