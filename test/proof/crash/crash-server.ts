import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../src/warehouse/connect.ts'
import { startEmbedded } from '../../../src/warehouse/embedded/embedded.ts'
import { findBinaries } from '../../../src/warehouse/embedded/embedded-binaries.ts'
import { serverUser } from '../../../src/warehouse/embedded/embedded-user.ts'
import { TEMPLATE } from '../../helpers/database-url.ts'
import { makeTemplate } from '../../helpers/make-template.ts'
import type { Server } from '../stage.ts'

/** A Postgres of its own that keeps what it acknowledged, as in production. */
export interface CrashServer extends Server {
  /** Stops it at once, as a crash does, and starts it again on the same port; it recovers by itself. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export async function startCrashServer(): Promise<CrashServer> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-crash-'))
  // As root the server runs as somebody else, who must be able to pass.
  chmodSync(directory, 0o755)
  const embedded = await startEmbedded({ directory, durable: true })
  await makeTemplate(embedded.url)
  await recoverFast(embedded.url)
  return {
    url: embedded.url,
    template: TEMPLATE,
    crash: () => restart(join(directory, 'cluster')),
    async stop() {
      await embedded.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Before it recovers, a server syncs each of its files; on Linux one call does that for all of them. */
async function recoverFast(url: string): Promise<void> {
  if (process.platform !== 'linux') return
  const admin = connect({ url, poolSize: 1 })
  await admin.withClient((client) =>
    client.query("alter system set recovery_init_sync_method = 'syncfs'"),
  )
  await admin.close()
}

/** `restart` takes the options of the last start, port included. */
async function restart(cluster: string): Promise<void> {
  const user = serverUser()
  const options = ['restart', '-m', 'immediate', '-D', join(cluster, 'data')]
  const log = ['-l', join(cluster, 'server.log'), '-w', '-t', '60', '-s']
  const child = spawn(findBinaries(user).pgCtl, [...options, ...log], {
    ...user,
    cwd: cluster,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: 'ignore',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`the crashed server did not start again (${code})`)
}
