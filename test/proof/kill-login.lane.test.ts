import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { TEMPLATE } from '../helpers/database-url.ts'
import { POINTS } from '../helpers/kill-points.ts'
import { runAndKill } from './kill/child-process.ts'
import { logIn, storedIn, syncTold } from './login-steps.ts'
import type { Order } from './run-order.ts'
import { openStage, type Stage } from './stage.ts'

const HOUR_MS = 3_600_000
/** For so long the service takes a refresh token again that was used once. */
const GRACE_MS = HOUR_MS / 2
const REDIRECT = 'http://127.0.0.1:8976/callback'
const SIZES = { users: 5, sessions: 2, whiteboards: 2, activities: 2, recordings: 2, numbers: 2 }

let stage: Stage
beforeAll(async () => {
  stage = await openStage(
    { url: inject('serverUrl'), template: TEMPLATE },
    {
      seed: 14,
      sizes: SIZES,
      habits: { refreshGraceMs: GRACE_MS },
      account: { app: 'user-authorized', redirectUrl: REDIRECT },
    },
  )
})
afterAll(() => stage.close())

/** The same work each time, as of the service's time: a sync, which begins with a token. */
const orderFor = (database: string): Order => stage.order(database, { jobs: ['users'] })
const renewals = (): number => stage.sandbox.stats().tokenRenewals

const logInAt = (database: string) => logIn(orderFor(database))
const storedAt = (database: string) => storedIn(orderFor(database))
const sync = async (database: string) => (await syncTold(orderFor(database))).end

const names = POINTS.filter((name) => name.startsWith('token:'))
/** Past these the service has given another token, of which nobody may know. */
const SENT: readonly string[] = ['token:received', 'token:persisted']
const cases = names.flatMap((name) => {
  const late = { name, wait: 'when it is late', waitMs: GRACE_MS }
  return [{ name, wait: 'at once', waitMs: 0 }, ...(SENT.includes(name) ? [late] : [])]
})

describe('a process that is killed while it renews a user’s token', () => {
  it('has five failpoints', () => expect(names).toHaveLength(5))

  it.each(cases)(
    'at $name is followed by a working renewal or login (wait: $wait)',
    async ({ name, waitMs }) => {
      const database = await stage.clone()
      try {
        const first = await logInAt(database)
        stage.sandbox.advance(HOUR_MS)
        const before = renewals()
        expect((await runAndKill(orderFor(database), `${name}#1`)).killed).toBe(true)
        expect(renewals() - before).toBe(SENT.includes(name) ? 1 : 0)
        const kept = await storedAt(database)
        expect(kept?.version).toBe(name === 'token:persisted' ? 2 : 1)
        expect(kept?.needsReauth).toBeUndefined()

        stage.sandbox.advance(waitMs)
        // The new token was on its way when the process died, and the old one serves no more.
        const lost = name === 'token:received' && waitMs > 0
        expect(await sync(database)).toBe(lost ? 'failed needs_reauth' : 'complete')
        if (lost) await needsPerson(database)
        const now = await storedAt(database)
        expect(now).toMatchObject({ version: 2 })
        expect(now?.needsReauth).toBeUndefined()
        expect(now?.grant?.refreshToken).not.toBe(first.grant?.refreshToken)

        // What is stored is the newest: it renews itself once more.
        stage.sandbox.advance(HOUR_MS)
        expect(await sync(database)).toBe('complete')
        const next = await storedAt(database)
        expect(next).toMatchObject({ version: 3 })
        expect(next?.grant?.previousRefreshToken).toBe(now?.grant?.refreshToken)
      } finally {
        await stage.drop(database)
      }
    },
  )
})

/** Says so without asking the service any more, until somebody logs in. */
async function needsPerson(database: string): Promise<void> {
  expect((await storedAt(database))?.needsReauth).toContain('no longer accepts the login')
  const before = stage.sandbox.stats()
  expect(await sync(database)).toBe('failed needs_reauth')
  const { tokenRenewals, unauthorized } = stage.sandbox.stats()
  expect([tokenRenewals, unauthorized]).toEqual([before.tokenRenewals, before.unauthorized])
  await logInAt(database)
  expect(await sync(database)).toBe('complete')
}
