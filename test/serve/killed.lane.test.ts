import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenInProcess } from '../helpers/listen-process.ts'
import { openStage, SECRETS, type Stage, spell } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ toldTwice: 0.2 })
})
afterAll(() => stage.close())

interface Told {
  notices: number
  waiting: number
  standing: { thing: string; key: string[]; state: string }[]
}

describe('a receiver that is killed', () => {
  it.each([
    ['commit:before', 2],
    ['commit:after', 4],
  ] as const)(
    'at %s (occurrence %i) loses no notification: the restarted receiver gets the unanswered ones again',
    async (point, hit) => {
      const nowMs = stage.sandbox.clock.now()
      const place = { databaseUrl: stage.databaseUrl, account: 'account-0', secret: SECRETS[0] }
      const first = await listenInProcess({ ...place, nowMs, killAt: { point, hit } })
      const port = Number(new URL(first.url).port)
      const url = `${first.url}/notifications/account-0`
      expect(await stage.ask('subscriptions', { url, secret: SECRETS[0] })).toEqual({
        confirmed: true,
      })
      await stage.ask('happen', { scenarios: ['reservation', 'mended-alert'] })
      await first.ended
      const { waiting, notices } = await stage.ask<Told>('notifications')
      expect(waiting).toBeGreaterThan(0)
      expect((await stage.stored()).length).toBeLessThan(notices)
      const later = nowMs + 5 * 60_000
      const second = await listenInProcess({ ...place, nowMs: later, port })
      await stage.ask('clock', { advanceMs: 5 * 60_000 })
      const told = await stage.ask<Told>('notifications')
      expect((await stage.stored()).map(({ body }) => body)).toHaveLength(told.notices)
      expect(await stage.standing()).toEqual(told.standing.map(spell).toSorted())
      second.child.kill('SIGTERM')
      await second.ended
      // Ends this subscription, because the next case has its own endpoint.
      await stage.ask('subscriptions', { url, secret: SECRETS[0], end: true })
    },
  )
})
