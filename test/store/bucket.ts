import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/core/time/clock.ts'
import { S3_LIMITS, type S3Options } from '../../src/store/s3-client.ts'

export interface Bucket {
  /** What a store of an account is made with; the same folder for drafts each time. */
  options(account?: string, changes?: Partial<S3Options>): S3Options
  endpoint: string
  folder: string
  close(): Promise<void>
}

/**
 * A server that speaks S3 on loopback, with one bucket. A process of its own, because s3rver makes its tokens
 * for further pages with a cipher that Node has only as a legacy.
 */
export async function openBucket(): Promise<Bucket> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-s3-'))
  const program = join(import.meta.dirname, 'serve-bucket.ts')
  const child = spawn(
    process.execPath,
    ['--openssl-legacy-provider', program, join(folder, 'served'), BUCKET],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    ...bucketAt(`http://127.0.0.1:${port.toString().trim()}`, folder),
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/** A bucket of a server that somebody else started. */
export function bucketAt(
  endpoint: string,
  folder: string,
  { bucket = BUCKET } = {},
): Omit<Bucket, 'close'> {
  const options: Bucket['options'] = (account = 'main', changes = {}) => ({
    bucket,
    region: 'us-east-1',
    endpoint,
    prefix: 'callsheet',
    account,
    accessKeyId: KEY,
    secretAccessKey: KEY,
    lockDays: undefined,
    temporaryDirectory: join(folder, 'drafts'),
    clock: systemClock,
    ...changes,
    limits: { ...HASTY, ...changes.limits },
  })
  return { options, endpoint, folder }
}

export const BUCKET = 'archive-bucket'
/** The pair that s3rver takes. */
const KEY = 'S3RVER'
/** The least that the protocol takes for a part, so that a file of 12 MiB goes in three. */
const HASTY = { ...S3_LIMITS, tries: 2, connectTimeoutMs: 2_000, partBytes: 5 * 2 ** 20 }
