/**
 * Runs `work` over the items, `limit` at a time. The first failure stops new ones and is thrown when all
 * have ended.
 */
export async function runLimited<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const running = new Set<Promise<void>>()
  for await (const item of items) {
    if (failures.length > 0) break
    const task = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(task))
    running.add(task)
    if (running.size >= limit) await Promise.race(running)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
}
