import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import type { LakePlace } from '../store/lake-place.ts'

/**
 * Opens a lake by its address: a folder, or `s3://BUCKET/PREFIX` with the region, endpoint and key of
 * `archive.s3`.
 */
export async function openLake(
  { config, clock }: { config: Pick<Config, 'archive'>; clock: Clock },
  address: string,
): Promise<LakePlace> {
  if (!address.startsWith('s3://')) {
    const { createLakeFolder } = await import('../store/lake-folder.ts')
    return createLakeFolder(address)
  }
  const [, bucket, prefix = ''] =
    /^s3:\/\/([\w.-]{1,255})(?:\/([\w./-]*?))?\/*$/.exec(address) ?? []
  const { region, endpoint, accessKeyId, secretAccessKey } = config.archive.s3
  if (bucket === undefined || accessKeyId === null || secretAccessKey === null)
    throw new ConfigurationError('lake_unusable', {
      tried: `Opening the lake ${address}`,
      expected: 's3://BUCKET/PREFIX, and the key of the bucket in archive.s3',
      came:
        bucket === undefined
          ? 'the address has another form'
          : 'archive.s3.accessKeyId or archive.s3.secretAccessKey is not set',
      todo: 'correct the address, or set both settings; archive.store may stay directory',
    })
  const { createS3Lake } = await import('../store/s3-lake.ts')
  return createS3Lake({
    bucket,
    region,
    prefix,
    clock,
    accessKeyId,
    account: '',
    endpoint: endpoint ?? undefined,
    secretAccessKey: secretAccessKey.reveal(),
    lockDays: undefined,
    temporaryDirectory: '',
  })
}
