/**
 * Marks a place at which a process may be killed, beside an externally visible effect such as a transaction.
 * In production it costs only a call, since there is no listener. Tests install one that kills, pauses or
 * counts.
 */
export function point(name: string): Promise<void> | undefined {
  return listener?.(name)
}

/** A test's action at a point; the code continues when it resolves. */
export type PointListener = (name: string) => Promise<void> | undefined

/** For tests only: `test/tidy.test.ts` checks that the program never imports it. */
export function listenAtPoints(heard: PointListener | undefined): void {
  listener = heard
}

/** One listener for the whole process, since a kill ends all of it. */
let listener: PointListener | undefined
