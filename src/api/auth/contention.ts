import type { Observer } from '../../core/define/observer.ts'
import type { Clock } from '../../core/time/clock.ts'

/**
 * Detects another program that uses the same app. An app has one valid token, so each of the two programs
 * ends the other's token. This is reported, and each renewal waits longer, up to 5 s.
 */
export interface Contention {
  /** Call it when the token of this version replaced one that had stopped working early. */
  note(version: number): void
  /** How long to wait before requesting another token. */
  pauseMs(): number
  /** A note for the operator about contention; undefined if there was none. */
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
        : `another program uses this app: ${worst} tokens became invalid within two minutes. ` +
          'Create a separate app for that program: each new token of an app ends the one before',
  }
}

const RENEWALS = 3
const WINDOW_MS = 120_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000
