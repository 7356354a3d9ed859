import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentObserver } from '../../src/core/observer.ts'
import { receiveNotification } from '../../src/engine/receive-notification.ts'
import { TIMINGS } from '../../src/sandbox/notices/stories.ts'
import { NOW_MS, openStage, SECRETS, spell, type Stage, standingOf } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ seed: 5, toldTwice: 0.5 })
  await stage.ask('subscriptions', { url: stage.address(), secret: SECRETS[0] })
})
afterAll(() => stage.close())

interface Told {
  notices: number
  sent: number
  standing: { thing: string; key: string[]; state: string }[]
}

/** What the service itself says that things are. */
const truth = async (): Promise<string[]> => {
  const { standing } = await stage.ask<Told>('notifications')
  return standing.map(spell).toSorted()
}

describe('whatever the order', () => {
  it.each([
    ['a room', ['created', 'updated', 'updated', 'updated', 'deleted'], 'room r: deleted'],
    ['an alert', [1, 2, 1, 2, 1], 'room_alert r 3 1: triggered'],
    ['an alert of two kinds', [1, 3, 2, 3, 2], 'room_alert r 3 1: cleared'],
  ])('in which five words on %s arrive, they end in one state', async (_what, words, state) => {
    const bodies = words.map((word, at) => Buffer.from(JSON.stringify(wordOf(word, at))))
    const orders = permutations(bodies)
    expect(orders).toHaveLength(120)
    const deps = {
      warehouse: stage.warehouse,
      clock: stage.sandbox.clock,
      observer: silentObserver,
    }
    const receiving = { accountId: null, clientId: null, erasureHours: 24 }
    const ends = new Set<string>()
    for (const [at, order] of orders.entries()) {
      const account = `order-${String(words[0])}-${String(words[1])}-${at}`
      for (const body of order) await receiveNotification(deps, { ...receiving, account }, body)
      ends.add((await standingOf(stage.warehouse, account)).join(', '))
    }
    expect([...ends]).toHaveLength(1)
    expect([...ends].join()).toContain(state)
  })

  it('two words of one time, they end in one state', async () => {
    const deps = {
      warehouse: stage.warehouse,
      clock: stage.sandbox.clock,
      observer: silentObserver,
    }
    const bodies = ['updated', 'updated', 'deleted', 'created'].map((word, at) => ({
      ...wordOf(word, 0),
      payload: { object: { id: 'r', room_name: `named ${at}` } },
    }))
    const ends = new Set<string>()
    for (const [at, order] of permutations(bodies).entries()) {
      const receiving = { account: `tie-${at}`, accountId: null, clientId: null, erasureHours: 24 }
      for (const body of order)
        await receiveNotification(deps, receiving, Buffer.from(JSON.stringify(body)))
      const { rows } = await sql<{ said: string }>`select state || encode(hash, 'hex') as said
        from callsheet.event_states where account = ${receiving.account}`.execute(
        stage.warehouse.db,
      )
      ends.add(rows.map(({ said }) => said).join())
    }
    expect(ends.size).toBe(1)
    expect([...ends].join()).toMatch(/^deleted/)
  })

  it('and however often things are told, each is kept once and is as the service says', async () => {
    await stage.ask('happen', { count: 40 })
    const { notices, sent } = await stage.ask<Told>('notifications')
    expect(sent).toBeGreaterThan(notices + 10)
    expect(
      await stage.stored().then((rows) => rows.filter(({ account }) => account === 'account-0')),
    ).toHaveLength(notices)
    expect((await truth()).length).toBeGreaterThan(20)
    expect(await stage.standing()).toEqual(await truth())
  })

  it('a problem that was mended is cleared, and one that was only seen stays seen', async () => {
    await stage.ask('happen', { stories: ['mended-alert', 'alert', 'observed-alert'] })
    const told = await stage.stored()
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

describe('whatever the form', () => {
  it.each(TIMINGS.slice(1))(
    'in which a time comes (%s), a thing is as the service says',
    async (timing) => {
      const before = (await stage.stored()).length
      await stage.ask('happen', { stories: ['reservation', 'room', 'workspace'], timing })
      const rows = (await stage.stored()).slice(before)
      expect(rows).toHaveLength(14)
      if (timing === 'none') {
        // Nobody can tell which came first: only what was told is kept.
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
