import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/warehouse/embedded/embedded.ts'

export interface ThrowawayServer {
  url: string
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/** Starts a Postgres in a temporary folder. */
export async function startThrowawayServer(): Promise<ThrowawayServer> {
  const directory = mkdtempSync(join(quickest(), 'callsheet-test-'))
  // Root runs the server as another user, who must be able to enter.
  chmodSync(directory, 0o755)
  const server = await startEmbedded({ directory, durable: false })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Returns a folder in memory if there is enough. A test's database is hundreds of small files, and creating
 * and removing them on a disk would take a good part of the run.
 */
function quickest(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return Math.min(bavail * bsize, freemem()) >= PLENTY_BYTES ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

const IN_MEMORY = '/dev/shm'
/** Twice the most that a run of all tests uses; its write-ahead log alone may reach 2 GB. */
const PLENTY_BYTES = 8 * 1024 ** 3
