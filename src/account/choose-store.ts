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
  const { createS3Store } = await import('../store/s3-store.ts')
  return createS3Store({
    ...bucketOptions({ config, clock }, s3.bucket),
    account,
    prefix: s3.prefix,
    lockDays: s3.lockDays ?? undefined,
    temporaryDirectory: join(config.stateDirectory, 'drafts'),
  })
}

/** Returns a bucket's address and credentials. Throws if a credential is not set. */
export function bucketOptions(
  { config, clock }: { config: Pick<Config, 'archive'>; clock: Clock },
  bucket: string,
) {
  const { region, endpoint, accessKeyId, secretAccessKey } = config.archive.s3
  if (accessKeyId === null || secretAccessKey === null)
    throw new ConfigurationError('store_key_missing', {
      tried: `Opening the bucket ${bucket}`,
      came: 'archive.s3.accessKeyId or archive.s3.secretAccessKey is not set',
      todo: 'set both settings; Callsheet does not use credentials of the environment or the machine',
    })
  return {
    bucket,
    region,
    endpoint: endpoint ?? undefined,
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    clock,
  }
}
