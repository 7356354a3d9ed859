import type { Clock } from '../../core/time/clock.ts'

/** What a round found. */
export interface Found<T> {
  value: T
  /** Since the round began. */
  ageMs: number
}

/**
 * Reads in rounds of its own, so that whoever asks gets at once what the last round found. The first to ask
 * starts the rounds, with a rest of 30 seconds between them, or of as long as a round took. They end with the
 * signal, with a failure, and ten minutes after the last who asked. Only before the end of the first round is
 * there a wait, of a few seconds at most; undefined: it still goes on.
 */
export function keptRounds<T>(
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

/** How long a value counts that changes only when something else does, which its mark tells. */
export interface Validity {
  /** Undefined: what changes meanwhile is not waited for. */
  mark: string | undefined
  longestMs: number
}

/** Keeps the last value of a read for as long as its mark stays the same and it is not too old. */
export function markedRead<T>(
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
/** Prometheus waits ten seconds, unless it is told otherwise. */
const LONGEST_WAIT_MS = 8_000
