/**
 * Runs work up to `MAX_TRIES` times, if the server ends it because of another transaction: after a deadlock
 * or a serialization failure. Tries again at once, because the other transaction has proceeded.
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (tries === MAX_TRIES || !isConflict(error)) throw error
    }
}

/** Recognizes conflicts by our error codes and by those of the server. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && CONFLICTS.has((error as { code?: string }).code ?? '')
}

const CONFLICTS = new Set(['deadlock', 'serialization_failure', '40P01', '40001'])
const MAX_TRIES = 5
