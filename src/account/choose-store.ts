import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import type { FileStore } from '../store/store.ts'

/**
 * Returns the configured store for an account's archived files, not opened yet. Loads the bucket client only
 * for a bucket.
 */
export async function openStore(
  { config, clock }: { config: Pick<Config, 'archive' | 'stateDirectory'>; clock: Clock },
  account: string,
): Promise<FileStore> {
  const { store, directory, s3 } = config.archive
  if (store === 'directory' || s3.bucket === null) {
    const { createDirectoryStore } = await import('../store/directory-store.ts')
    return createDirectoryStore(join(directory, account))
  }
  const { bucket, region, endpoint, prefix, accessKeyId, secretAccessKey, lockDays } = s3
  if (accessKeyId === null || secretAccessKey === null)
    throw new ConfigurationError('store_key_missing', {
      tried: `Opening the bucket ${bucket}`,
      came: 'archive.s3.accessKeyId or archive.s3.secretAccessKey is not set',
      todo: 'set both settings; Callsheet does not use credentials of the environment or the machine',
    })
  const { createS3Store } = await import('../store/s3-store.ts')
  return createS3Store({
    bucket,
    region,
    prefix,
    account,
    accessKeyId,
    clock,
    endpoint: endpoint ?? undefined,
    secretAccessKey: secretAccessKey.reveal(),
    lockDays: lockDays ?? undefined,
    temporaryDirectory: join(config.stateDirectory, 'drafts'),
  })
}
