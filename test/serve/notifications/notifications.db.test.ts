import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenAtPoints } from '../../../src/core/kill-point.ts'
import { NOW_MS, openStage, SECRETS, type Stage, send, signed } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ accounts: [{}, {}] })
})
afterAll(() => stage.close())

let serial = 0
/** An event that was never sent before. */
const roomCreated = (account_id = 'acct-1') => ({
  event: 'svcroom.created',
  event_ts: NOW_MS,
  payload: { account_id, object: { id: `room-${++serial}`, room_name: 'Blue' } },
})
const count = async (): Promise<number> => (await stage.stored()).length

describe('a notification', () => {
  it('signed with any of the secrets is stored, then answered 200', async () => {
    for (const secret of SECRETS) {
      const before = await count()
      const answer = await send(stage.address(), roomCreated(), { secret })
      expect(answer).toEqual({ status: 200, text: '' })
      expect(await count()).toBe(before + 1)
    }
    const [first] = await stage.stored()
    expect(first).toMatchObject({
      account: 'account-0',
      event: 'svcroom.created',
      state: 'applied',
      findings: [],
      subjects: ['room:room-1'],
    })
    expect(Date.parse(first?.event_at ?? '')).toBe(NOW_MS)
  })

  it('is stored once if it is sent again, even with other spacing', async () => {
    const event = roomCreated()
    const { payload, ...rest } = event
    const before = await count()
    for (const body of [event, event, { payload, ...rest }, JSON.stringify(event, undefined, 2)])
      expect((await send(stage.address(), body)).status).toBe(200)
    const both = await Promise.all(
      [roomCreated()].flatMap((one) => [one, one]).map((one) => send(stage.address(), one)),
    )
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await count()).toBe(before + 2)
  })

  it('that has the same time as another one is stored separately', async () => {
    const before = await count()
    for (const one of [roomCreated(), roomCreated()]) await send(stage.address(), one)
    expect(await count()).toBe(before + 2)
  })

  it('of an undocumented kind is stored as received', async () => {
    const body =
      '{"event":"svcroom.levitated","event_ts":"1783477800","payload":{"account_id":"acct-1",\n' +
      ' "object":{"height":12345678901234567890.10,"owner_id":"u-7","note":"a\\u0000b\\ud800"}}}'
    expect((await send(stage.address(), body)).status).toBe(200)
    const last = (await stage.stored()).at(-1)
    expect(last).toMatchObject({
      event: 'svcroom.levitated',
      event_ts: '1783477800',
      state: 'unknown',
      subjects: ['user:u-7'],
    })
    expect(last?.body.replaceAll('\\\\', '\\')).toBe(body)
    expect(last?.payload?.payload).toMatchObject({ object: { note: 'a\u2400b\ufffd' } })
  })

  it('that does not name its object is stored as unmatched', async () => {
    const nameless = { ...roomCreated(), payload: { account_id: 'acct-1', object: {} } }
    expect((await send(stage.address(), nameless)).status).toBe(200)
    expect((await stage.stored()).at(-1)).toMatchObject({
      state: 'unmatched',
      event: 'svcroom.created',
    })
  })

  it.each([
    ['not JSON', 'svcroom.created {', 'unparsed'],
    ['not an object', '[1, "two"]', 'unknown'],
    [
      'nested too deeply',
      `{"event":"svcroom.created","payload":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      'unparsed',
    ],
    ['not UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22]), 'unparsed'],
    [
      'unreadable because of a number too large for any column',
      '{"event":"svcroom.created","payload":1e999999}',
      'unparsed',
    ],
    ['empty', '', 'unparsed'],
    [
      'hostile in its field names',
      '{"event":"svcroom.created","payload":{"object":{"__proto__":{"polluted":1}}}}',
      'unmatched',
    ],
  ])('that is %s is stored', async (_what, body, state) => {
    const before = await count()
    expect((await send(stage.address(), body)).status).toBe(200)
    expect(await count()).toBe(before + 1)
    expect((await stage.stored()).at(-1)?.state).toBe(state)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('that could not be parsed is found by the email addresses in it', async () => {
    await send(stage.address(), '{"host": "Ann.Lee@Corp.example", broken')
    expect((await stage.stored()).at(-1)).toMatchObject({
      state: 'unparsed',
      subjects: ['email:ann.lee@corp.example'],
    })
  })

  it('with a time more than a day after its signature changes no state', async () => {
    const event = { ...roomCreated(), event_ts: NOW_MS + 25 * 3_600_000 }
    await send(stage.address(), event)
    expect((await stage.stored()).at(-1)?.state).toBe('ahead')
    expect(await stage.standing()).not.toContain(`room ${event.payload.object.id}: present`)
  })

  it('is stored without its secrets, whatever their form', async () => {
    const object = { room_id: 'r', join_url: 'hush@p', passcode: 'hush' }
    const payload = { account_id: 'acct-1', signature: 'hush', object }
    const event = 'svcroom.thirdparty_meeting_attempted'
    await send(stage.address(), { event, event_ts: NOW_MS, payload })
    await send(stage.address(), '{"event": "x", "note": "said", "passcode": "hush" ')
    const text = JSON.stringify(await stage.stored())
    expect(text).toContain('"passcode":""')
    expect(text).toContain('said')
    expect(text).not.toContain('hush')
  })
})

describe('two accounts with one receiver', () => {
  it('store their notifications separately, each with its own secret', async () => {
    const mine = roomCreated()
    const theirs = { ...mine, payload: { ...mine.payload, account_id: 'acct-2' } }
    expect((await send(stage.address(0), mine)).status).toBe(200)
    expect((await send(stage.address(1), theirs)).status).toBe(401)
    expect((await send(stage.address(1), theirs, { secret: 'secret-of-1' })).status).toBe(200)
    const room = `room ${mine.payload.object.id}: present`
    expect(await stage.standing('account-0')).toContain(room)
    expect(await stage.standing('account-1')).toEqual([room])
  })

  it('store a notification for the other account as foreign, and change no state by it', async () => {
    const strayed = roomCreated('acct-2')
    expect((await send(stage.address(0), strayed)).status).toBe(200)
    expect((await stage.stored()).at(-1)).toMatchObject({ account: 'account-0', state: 'foreign' })
    for (const account of ['account-0', 'account-1'])
      expect((await stage.standing(account)).join()).not.toContain(strayed.payload.object.id)
  })
})

describe('a notification is not answered with 200 before it is stored:', () => {
  it.each(['begin:before', 'begin:after', 'commit:before'] as const)(
    'if the transaction fails at %s, the answer is 503 and the next attempt is stored',
    async (place) => {
      const event = roomCreated()
      const before = await count()
      listenAtPoints((name) => (name === place ? Promise.reject(new Error('stopped')) : undefined))
      const failed = await send(stage.address(), event).finally(() => listenAtPoints(undefined))
      expect(failed).toEqual({ status: 503, text: '' })
      expect(await count()).toBe(before)
      expect((await send(stage.address(), event)).status).toBe(200)
      expect(await count()).toBe(before + 1)
    },
  )

  it('if the receiver fails after the commit, the next attempt gets a 200 and stores nothing', async () => {
    const event = roomCreated()
    const before = await count()
    listenAtPoints((name) =>
      name === 'commit:after' ? Promise.reject(new Error('lost')) : undefined,
    )
    const failed = await send(stage.address(), event).finally(() => listenAtPoints(undefined))
    expect(failed.status).toBe(503)
    expect((await send(stage.address(), event)).status).toBe(200)
    expect(await count()).toBe(before + 1)
  })
})

describe('the log of the receiver', () => {
  it('names accounts and reasons, and contains no body, signature or secret', async () => {
    await send(
      stage.address(),
      { event: 'canary-event', payload: 'canary-payload' },
      { secret: 'no' },
    )
    const log = stage.logged.join('\n')
    expect(log).toContain('a wrong signature')
    expect(log).toContain('notification failed')
    const { 'x-svc-signature': signature } = signed('{}')
    for (const word of ['canary', 'room-', 'hush', signature.slice(0, 12), ...SECRETS])
      expect(log).not.toContain(word)
  })
})
