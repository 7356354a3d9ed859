import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { Secret } from '../../../src/config/secret.ts'
import { openPing } from '../../../src/serve/alerts/open-channels.ts'
import { pingSwitch } from '../../../src/serve/alerts/ping-switch.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { causeOf } from './causes.ts'
import { startHookServer } from './hook-server.ts'

const RED = causeOf('users')
const AMBER = causeOf('users', { level: 'amber' })

let hook: Awaited<ReturnType<typeof startHookServer>>
let events: string[]
beforeEach(async () => {
  hook = await startHookServer()
  events = []
})
afterEach(() => hook.close())

async function check(...causes: (typeof RED)[]): Promise<void> {
  const settings = { alerts: { ping: new Secret(`${hook.url}/secret`) } } as unknown as Config
  const ping = openPing(settings, { clock: manualClock(0) })
  if (ping === undefined) throw new Error('no ping was opened')
  await pingSwitch({ ping, observer: { event: (name) => void events.push(name) } }, causes)
}

it('the service pings at each health check, except while a cause is red', async () => {
  await check()
  await check(AMBER)
  expect(hook.taken).toHaveLength(2)
  await check(AMBER, RED)
  expect(hook.taken).toHaveLength(2)
  await check()
  expect(hook.taken).toHaveLength(3)
  expect(events).toEqual([])
})

it('a ping that failed is logged, and repeated at the next health check', async () => {
  hook.state.answer = 500
  await check()
  expect(events).toEqual(['ping failed'])
  hook.state.answer = 200
  await check()
  expect(hook.taken).toHaveLength(2)
  expect(events).toEqual(['ping failed'])
})
