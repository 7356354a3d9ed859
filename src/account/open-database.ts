import type { Config } from '../config/schema.ts'
import type { Clock } from '../core/time/clock.ts'
import { startEmbedded } from '../warehouse/embedded/embedded.ts'

/** Returns the database's address. Without a configured URL, starts or joins an embedded server. */
export async function openDatabase(
  { database: { url, directory } }: Config,
  clock: Clock,
): Promise<{ url: string; embedded: boolean; close(): Promise<void> }> {
  if (url !== null) return { url: url.reveal(), embedded: false, close: async () => {} }
  const server = await startEmbedded({ directory, clock })
  return { url: server.url, embedded: true, close: () => server.stop() }
}
