import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/warehouse/embedded/embedded.ts'

export interface ThrowawayServer {
  url: string
  /** Stops the server and removes what it wrote. */
  stop(): Promise<void>
}

/** A Postgres in a folder of its own that outlives nothing. */
export async function startThrowawayServer(): Promise<ThrowawayServer> {
  const directory = mkdtempSync(join(quickest(), 'callsheet-test-'))
  // As root the server runs as somebody else, who must be able to pass.
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
 * Memory where there is plenty of it: a test's database is some hundred small files, made and removed, and a
 * disk's file system would take a good part of the run for them.
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
/** The most that a run of all tests takes, twice over; its log of changes may reach 2 GB alone. */
const PLENTY_BYTES = 8 * 1024 ** 3
