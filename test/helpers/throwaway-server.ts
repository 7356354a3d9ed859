import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/warehouse/embedded.ts'

export interface ThrowawayServer {
  url: string
  /** Stops the server and removes what it wrote. */
  stop(): Promise<void>
}

/** A Postgres in a folder of its own that outlives nothing. */
export async function startThrowawayServer(): Promise<ThrowawayServer> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-test-'))
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
