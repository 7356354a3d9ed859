import type { Clock } from '../../core/time/clock.ts'

/** The result of one read in a round. */
export interface Found<T> {
  value: T
  /** The time since the round began. */
  ageMs: number
}

/**
 * Reads in rounds in the background, so that callers get the last result at once. The first call starts the
 * rounds. After each round comes a pause of 30 seconds, or of the round's duration if that is longer. The
 * rounds end with the signal, after a failure, and ten minutes after the last call. During the first round a
 * call waits up to `LONGEST_WAIT_MS`, then returns undefined.
 */
export function cachedInRounds<T>(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  read: () => Promise<T>,
): () => Promise<Found<T> | undefined> {
  let found: { value: T; beganMs: number } | undefined
  let round: Promise<void> | undefined
  let rounds: Promise<void> | undefined
  let askedMs = 0
  const readOnce = async (beganMs: number): Promise<void> => {
    found = { value: await read(), beganMs }
  }
  const goOn = async (): Promise<void> => {
    do {
      const beganMs = clock.elapsed()
      round = readOnce(beganMs)
      await round
      const tookMs = clock.elapsed() - beganMs
      await clock.sleep(Math.max(REST_MS, tookMs), signal)
    } while (clock.elapsed() - askedMs < ASKED_WITHIN_MS)
  }
  const end = (): void => {
    found = undefined
    rounds = undefined
  }
  return async () => {
    askedMs = clock.elapsed()
    rounds ??= goOn().then(end, end)
    if (found === undefined) await endOrBound(clock, round)
    return found && { value: found.value, ageMs: clock.elapsed() - found.beganMs }
  }
}

async function endOrBound(clock: Clock, round: Promise<void> | undefined): Promise<void> {
  let stop: () => void = () => undefined
  const bound = new Promise<void>((resolve) => {
    stop = clock.alarm(LONGEST_WAIT_MS, resolve)
  })
  await Promise.race([round, bound]).finally(stop)
}

/** How long a cached value is valid. */
export interface Validity {
  /** A value cached with a different mark is stale. Undefined matches any mark. */
  mark: string | undefined
  longestMs: number
}

/** Caches the last value of a read until its mark changes or it is too old. */
export function cachedUntilMarked<T>(
  clock: Clock,
): (validity: Validity, read: () => Promise<T>) => Promise<T> {
  let kept: { value: T; mark: string | undefined; readMs: number } | undefined
  return async ({ mark, longestMs }, read) => {
    const nowMs = clock.elapsed()
    const isValid = mark === undefined || kept?.mark === mark
    if (kept !== undefined && isValid && nowMs - kept.readMs < longestMs) return kept.value
    const value = await read()
    kept = { value, mark, readMs: nowMs }
    return value
  }
}

const REST_MS = 30_000
const ASKED_WITHIN_MS = 600_000
/** How long a call waits for the first round: less than the ten seconds that Prometheus waits by default. */
const LONGEST_WAIT_MS = 8_000
