import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/core/time/clock.ts'
import { S3_LIMITS, type S3Options } from '../../src/store/s3-client.ts'

export interface Bucket {
  /** The options of an account's store; drafts always use the same folder. */
  options(account?: string, changes?: Partial<S3Options>): S3Options
  endpoint: string
  folder: string
  close(): Promise<void>
}

/**
 * Starts an S3 server with one bucket on loopback. It is a separate process, because s3rver encrypts its page
 * tokens with a cipher that Node has only in its legacy provider.
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

/** A bucket of a server that is already running. */
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
/** The access key that s3rver accepts; its secret is the same. */
const KEY = 'S3RVER'
/** `partBytes` is the protocol's minimum, so that a file of 12 MiB has three parts. */
const HASTY = { ...S3_LIMITS, tries: 2, connectTimeoutMs: 2_000, partBytes: 5 * 2 ** 20 }
