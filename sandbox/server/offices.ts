import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { hash, pick } from '../base/random.ts'
import type { Subscription } from '../notices/post.ts'
import { playScenario, removalNotice, SCENARIO_NAMES, type Timing } from '../notices/scenarios.ts'
import { userAt } from '../users/users.ts'
import type { SandboxContext } from './context.ts'
import { seedDataOf } from './seed-data-of.ts'

/** A request for events. */
export interface EventRequest {
  account?: string
  /** The scenarios, in order; default: any, drawn from the seed. */
  scenarios?: readonly string[]
  /** How many are drawn. */
  count?: number
  timing?: Timing
}

/** An endpoint to subscribe or unsubscribe. */
interface Subscribe extends Omit<Subscription, 'account'> {
  account?: string
  end?: boolean
}

/** Adds endpoints for office events and their subscribers. */
export function addOffices(app: Hono<{ Bindings: HttpBindings }>, context: SandboxContext): void {
  let serial = 0
  const { mailroom, clock } = context
  app.post('/__sandbox/subscriptions', async (http) => {
    const { end = false, ...asked } = await http.req.json<Subscribe>()
    const account = seedDataOf(context, asked.account).accountId
    if (end) return http.json({ ended: mailroom.unsubscribe(asked.url) })
    return http.json({ confirmed: await mailroom.subscribe({ ...asked, account }) })
  })
  app.post('/__sandbox/happen', async (http) => {
    const {
      account,
      scenarios,
      count = 1,
      timing = 'documented',
    } = await http.req.json<EventRequest>()
    const seedData = seedDataOf(context, account)
    const drawn = Array.from({ length: count }, (_, at) =>
      pick(SCENARIO_NAMES, hash(context.seed, 0xec, serial + at)),
    )
    const notices = (scenarios ?? drawn).flatMap((name) =>
      playScenario(seedData, { name, index: serial++, timing, nowMs: clock.now() }),
    )
    await mailroom.send(seedData.accountId, notices)
    return http.json({ events: notices.map(({ event }) => event), ...mailroom.counts() })
  })
  app.post('/__sandbox/remove-app', async (http) => {
    const asked = await http.req.json<{ clientId?: string; user?: number }>()
    const removed =
      context.apps.find(({ clientId }) => clientId === asked.clientId) ?? context.apps[0]
    if (removed === undefined) throw new RangeError('there is no app to remove')
    const seedData = seedDataOf(context, removed.accountId)
    const { id: userId } = userAt(seedData, seedData.state, asked.user ?? 0)
    context.authorizer.logins.end(removed)
    const removal = { userId, clientId: removed.clientId, nowMs: clock.now() }
    await mailroom.send(seedData.accountId, [removalNotice(seedData, removal)])
    return http.json({ userId, ...mailroom.counts() })
  })
  app.get('/__sandbox/notifications', (http) => {
    const { accountId } = seedDataOf(context, http.req.query('account'))
    return http.json({ ...mailroom.counts(), standing: mailroom.standing(accountId) })
  })
}
