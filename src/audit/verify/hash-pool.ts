import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Hashed } from './hash-worker.ts'

export interface HashPool {
  /** The maximum number of concurrent calls. */
  size: number
  /** The results for the files, in order. Throws if `size` calls are already under way. */
  hash(paths: readonly string[]): Promise<Hashed[]>
  close(): Promise<void>
}

export function openHashPool(): HashPool {
  const size = Math.min(MOST_THREADS, availableParallelism())
  const workers = Array.from({ length: size }, () => new Worker(WORKER))
  const idle = [...workers]
  return {
    size,
    async hash(paths) {
      const worker = idle.pop()
      if (worker === undefined) throw new Error('More orders than threads')
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(paths)
      // `once` rejects if the thread dies.
      const [hashed] = (await once(worker, 'message')) as [Hashed[]]
      idle.push(worker)
      return hashed
    },
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  }
}

/** The maximum number of threads: more would only wait for the disk. */
const MOST_THREADS = 4
/** The worker is beside this file, both in the source and in the build. */
const WORKER = new URL(`./hash-worker${extname(import.meta.url)}`, import.meta.url)
