import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCENARIO_NAMES } from '../../sandbox/notices/scenarios.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import { createOutput } from '../../src/cli/frame/output.ts'
import { printNotifications } from '../../src/cli/status-lines.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { wordsOf } from '../../src/core/notifications/words.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { notificationStatus } from '../../src/serve/notifications/notification-status.ts'
import { rereadNotifications } from '../../src/serve/notifications/reread-notifications.ts'
import { NOW_MS, openStage, SECRETS, type Stage, spell } from './stage.ts'

const { words = {} } = (READINGS.words.variants.own.told?.adopt?.account ?? {}) as {
  words?: Record<string, string>
}
/** Only the terms for the names of the signature's headers. */
const headers = {
  'x-svc-signature': 'x-ac-signature',
  'x-svc-request-timestamp': 'x-ac-request-timestamp',
}

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ readings: { words: 'own' }, account: { words } })
})
afterAll(() => stage.close())

const due = async (at: Stage): Promise<string[]> => {
  const { standing } = await at.ask<{ standing: Parameters<typeof spell>[0][] }>('notifications')
  return standing.map(spell).toSorted()
}

describe('notifications from a service that uses its own terms', () => {
  it('are accepted by its headers and stored under documented names, with their original bytes', async () => {
    const url = stage.address()
    const subscribed = await stage.ask('subscriptions', { url, secret: SECRETS[0] })
    expect(subscribed).toEqual({ confirmed: true })
    await stage.ask('happen', { scenarios: SCENARIO_NAMES })
    const rows = await stage.stored()
    expect(rows.filter(({ state }) => state === 'unknown')).toEqual([])
    expect(new Set(rows.map(({ event }) => event))).toContain('svcroom.delayed_alert')
    for (const { event, body } of rows.filter(({ event: name }) => name.startsWith('svcroom.')))
      expect(body).toContain(
        event === 'svcroom.delayed_alert' ? 'acmeroom.late_alert' : event.replace('svc', 'acme'),
      )
    const standing = await stage.standing()
    expect(standing.some((one) => one.startsWith('room_alert '))).toBe(true)
    expect(standing).toEqual(await due(stage))
  })

  it('are refused if its headers are not configured, and the log names the setting', async () => {
    const other = await openStage({ readings: { words: 'own' } })
    const url = other.address()
    const subscribed = await other.ask('subscriptions', { url, secret: SECRETS[0] })
    expect(subscribed).toEqual({ confirmed: false })
    expect(other.logged.join('\n')).toMatch(/no header x-svc-signature.*accounts\[\]\.words/)
    await other.close()
  })

  it('are reported as unknown events until the terms are configured, and then interpreted', async () => {
    const other = await openStage({ readings: { words: 'own' }, account: { words: headers } })
    const { warehouse } = other
    await other.ask('subscriptions', { url: other.address(), secret: SECRETS[0] })
    await other.ask('happen', { scenarios: SCENARIO_NAMES })
    expect(await other.standing()).not.toEqual(await due(other))
    const status = async (named: typeof words): Promise<string> => {
      const lines: string[] = []
      const told = await notificationStatus(warehouse.db, { account: 'account-0', sinceMs: 0 })
      const output = { ...createOutput({ json: false }), line: (text = '') => lines.push(text) }
      printNotifications(output, told, { nowMs: NOW_MS, words: wordsOf(named) })
      return lines.join('\n')
    }
    expect(await status({})).toMatch(/^Unknown events: acmeroom\.\w+.*accounts\[\]\.words/m)
    const receiving = { account: 'account-0', accountId: null, clientId: null, secret: SECRETS[0] }
    const deps = { warehouse, clock: systemClock, observer: silentObserver }
    const asNamed = { ...receiving, words: wordsOf(words) }
    for (let time = 0; time < 2; time++) {
      await rereadNotifications(deps, asNamed)
      expect(await other.standing()).toEqual(await due(other))
    }
    expect(await status(words)).toMatch(/^\nNotifications of 30 days: \d+.* of unknown kinds/)
    expect(await status(words)).not.toContain('accounts[].words')
    await other.close()
  })
})
