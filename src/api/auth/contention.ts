import type { Observer } from '../../core/declare/observer.ts'
import type { Clock } from '../../core/time/clock.ts'

/**
 * Tokens that stop working before their time, again and again, are most likely taken away by another program:
 * one app has one live token. That is told, and not fought over: each renewal takes the other's token away,
 * too, so that they come ever more slowly.
 */
export interface Contention {
  /** The token of this version came in place of one that had stopped working. */
  note(version: number): void
  /** How long to wait before another one is asked for. */
  pauseMs(): number
  /** What a person should read of it; undefined where it was not seen. */
  remark(): string | undefined
}

export function createContention({
  clock,
  observer,
}: {
  clock: Clock
  observer: Observer
}): Contention {
  const renewed = new Map<number, number>()
  let worst = 0
  const forget = (): void => {
    for (const [version, at] of renewed)
      if (clock.elapsed() - at > WINDOW_MS) renewed.delete(version)
  }
  return {
    note(version) {
      forget()
      if (renewed.has(version)) return
      renewed.set(version, clock.elapsed())
      if (renewed.size < RENEWALS) return
      worst = Math.max(worst, renewed.size)
      observer.event('auth.contended', { level: 'warn', renewals: renewed.size })
    },
    pauseMs() {
      forget()
      const many = renewed.size - RENEWALS
      return many < 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** many)
    },
    remark: () =>
      worst === 0
        ? undefined
        : `another program uses this app: ${worst} tokens were made invalid within two minutes. ` +
          'Give that program, or this one, an app of its own; one app has one live token',
  }
}

const RENEWALS = 3
const WINDOW_MS = 120_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000
