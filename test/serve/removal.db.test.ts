import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOW_MS, openStage, SECRETS, type Stage, send } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await stage.ask('subscriptions', { url: stage.address(), secret: SECRETS[0] })
})
afterAll(() => stage.close())

interface Request {
  account: string
  subject: string
  source: string
  asked_at: string
  hours: number
  event: string
}

const requests = async (): Promise<Request[]> => {
  const { rows } = await sql<Request>`
    select r.account, subject, source, asked_at, n.event,
      extract(epoch from due_at - requested_at)::int / 3600 as hours
    from callsheet.erasure_requests r join callsheet.notifications n on n.id = r.notification_id
    order by r.id`.execute(stage.warehouse.db)
  return rows
}

const removal = (changed: object = {}, event_ts: unknown = NOW_MS) => ({
  event: 'app_deauthorized',
  event_ts,
  payload: {
    account_id: 'acct-1',
    user_id: 'user-1',
    signature: 'of-the-payload',
    deauthorization_time: '2026-07-08T02:00:00.000Z',
    client_id: 'client-1',
    ...changed,
  },
})

describe('the removal of the app by a user', () => {
  it('is received as a notification, and requests an erasure of the user within 24 hours', async () => {
    const { userId } = await stage.ask<{ userId: string }>('remove-app', { user: 3 })
    const row = (await stage.stored()).at(-1)
    expect(row).toMatchObject({
      event: 'app_deauthorized',
      event_ts: String(NOW_MS),
      state: 'applied',
      findings: [],
      subjects: [`user:${userId}`],
    })
    expect(Object.keys(row?.payload?.payload ?? {}).toSorted()).toEqual(
      ['account_id', 'client_id', 'deauthorization_time', 'signature', 'user_id'].toSorted(),
    )
    expect(row?.payload?.payload).toMatchObject({
      account_id: 'acct-1',
      client_id: 'client-1',
      signature: '',
    })
    expect(await requests()).toEqual([
      {
        account: 'account-0',
        subject: `user:${userId}`,
        source: 'app_deauthorized',
        asked_at: expect.stringContaining('2026-07-08') as string,
        hours: 24,
        event: 'app_deauthorized',
      },
    ])
  })

  it('requests one erasure, even if the notification is repeated in another form', async () => {
    const before = (await requests()).length
    for (const body of [removal(), removal(), removal({ signature: 'another' }, String(NOW_MS))])
      expect((await send(stage.address(), body)).status).toBe(200)
    expect(await requests()).toHaveLength(before + 1)
  })

  it('requests another erasure if the user has added and removed the app again', async () => {
    const before = (await requests()).length
    await send(stage.address(), removal({ deauthorization_time: '2026-07-08T02:20:00.000Z' }))
    expect(await requests()).toHaveLength(before + 1)
  })

  it.each([
    ['another app', { client_id: 'client-9' }, 'foreign'],
    ['another account', { account_id: 'acct-9' }, 'foreign'],
    ['no user', { user_id: '' }, 'unmatched'],
  ])(
    'requests no erasure, and is recorded, if the notification names %s',
    async (_whose, changed, state) => {
      const before = await requests()
      expect((await send(stage.address(), removal(changed))).status).toBe(200)
      expect((await stage.stored()).at(-1)?.state).toBe(state)
      expect(await requests()).toEqual(before)
    },
  )

  it('requests no erasure if the notification is forged or unsigned', async () => {
    const before = await requests()
    const stored = await stage.stored()
    const forged = removal({ user_id: 'somebody-else' })
    expect((await send(stage.address(), forged, { secret: 'guessed' })).status).toBe(401)
    expect(
      (await send(stage.address(), forged, { headers: { 'x-svc-signature': '' } })).status,
    ).toBe(401)
    expect(await requests()).toEqual(before)
    expect(await stage.stored()).toEqual(stored)
  })
})
