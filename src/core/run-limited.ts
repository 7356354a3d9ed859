/**
 * Runs `work` over the items, `limit` at a time. After the first failure no new item starts; the failure is
 * thrown once all running items have ended.
 */
export async function runLimited<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const take = takerOf(items)
  const runner = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const taking = take.next()
        const next = taking instanceof Promise ? await taking : taking
        if (next.done === true) return
        if (failures.length === 0) await work(next.value)
      }
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(Array.from({ length: limit }, runner))
  if (failures.length === 0) return
  await take.return?.()
  throw failures[0]
}

function takerOf<T>(items: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
}
