/**
 * One piece of work at a time for each account, in the order of arrival; what is already waiting or running
 * is not queued again. The quota belongs to the account, and its lease lets only one process fetch anyway.
 */
export function accountQueues() {
  const queues = new Map<string, Promise<void>>()
  const pending = new Map<string, Promise<void>>()
  return {
    enqueue(account: string, job: string, work: () => Promise<void>): Promise<void> {
      const name = JSON.stringify([account, job])
      const known = pending.get(name)
      if (known !== undefined) return known
      const before = queues.get(account) ?? Promise.resolve()
      const done = before.then(work).finally(() => pending.delete(name))
      pending.set(name, done)
      queues.set(
        account,
        done.catch(() => {}),
      )
      return done
    },
    /** Resolves once everything that was queued has ended, however it ended. */
    async idle(): Promise<void> {
      await Promise.allSettled(pending.values())
    },
  }
}
