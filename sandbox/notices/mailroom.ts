import type { Clock } from '../../src/core/time/clock.ts'
import { hash, randomFrom } from '../base/random.ts'
import type { Readings } from '../readings/readings.ts'
import { plainId } from '../seed-data/ids.ts'
import { challenge, type Subscription } from './post.ts'
import { makeRounds, type RoundCounts } from './rounds.ts'
import type { Notice } from './scenarios.ts'
import { spellNotice } from './spell-notice.ts'

export interface MailCounts extends RoundCounts {
  /** The number of different messages. */
  notices: number
}

/** Notifies subscribers: out of order, sometimes twice, and with three retries in two hours. */
export interface Mailroom {
  /** Checks that the endpoint belongs to the subscriber; nothing is sent before that. */
  subscribe(subscription: Subscription): Promise<boolean>
  /** Removes a subscriber and drops its waiting messages. Returns false if there is none. */
  unsubscribe(url: string): boolean
  send(account: string, notices: readonly Notice[]): Promise<void>
  /** Resends the messages that are due for a retry. */
  deliver(): Promise<void>
  counts(): MailCounts
  /** Returns the present states of an account's rooms, desks and so on, ordered by their first events. */
  standing(account: string): NonNullable<Notice['now']>[]
  stop(): void
}

export function makeMailroom({
  seed,
  clock,
  twice,
  readings,
}: {
  readings: Pick<Readings, 'eventNames' | 'words'>
  seed: number
  clock: Clock
  /** The share of messages that are sent twice, even if the receiver accepts the first. */
  twice: number
}): Mailroom {
  const random = randomFrom(hash(seed, 0xea, 0))
  const rounds = makeRounds(clock, readings)
  const subscriptions: Subscription[] = []
  const states = new Map<string, { account: string; now: NonNullable<Notice['now']> }>()
  let told = 0
  return {
    async subscribe(subscription) {
      const token = plainId(seed, 0xeb, subscriptions.length)
      const confirmed = await challenge(subscription, { token, clock, readings })
      if (confirmed) subscriptions.push(subscription)
      return confirmed
    },
    unsubscribe(url) {
      rounds.forget(url)
      const at = subscriptions.findIndex((one) => one.url === url)
      if (at >= 0) subscriptions.splice(at, 1)
      return at >= 0
    },
    async send(account, notices) {
      told += notices.length
      for (const { now } of notices)
        if (now !== undefined)
          states.set(JSON.stringify([account, now.thing, now.key]), { account, now })
      const letters = subscriptions
        .filter((to) => to.account === account)
        .flatMap((to) => notices.map(({ body }) => ({ to, body: spellNotice(readings, body) })))
      const repeated = letters.filter(() => random() < twice)
      await rounds.carry(shuffled([...letters, ...repeated], random))
    },
    deliver: rounds.deliver,
    counts: () => ({ notices: told, ...rounds.counts() }),
    standing: (account) =>
      [...states.values()].filter((one) => one.account === account).map(({ now }) => now),
    stop: rounds.stop,
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const [left, right] = [mixed[at] as T, mixed[other] as T] // both lie in the list
    mixed[at] = right
    mixed[other] = left
  }
  return mixed
}
