import { createHash } from 'node:crypto'
import type { Config } from '../../config/schema.ts'

/**
 * How many milliseconds after they are due the jobs of an account start. It is always the same for an
 * account, and all accounts together are spread evenly over `serve.spreadMinutes`.
 */
export function startDelay(account: string, { serve }: Pick<Config, 'serve'>): number {
  const place = createHash('sha256').update(account).digest().readUInt32BE(0) / 2 ** 32
  return Math.floor(place * serve.spreadMinutes * 60_000)
}
