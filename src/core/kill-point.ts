/**
 * Marks a place at which a process may be killed. Production has no listener, so it costs only a call; tests
 * install one, which kills, pauses or counts. Placed around each externally visible effect (a request, a
 * transaction, a file), never per row.
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
