import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import type { LakePlace } from '../store/lake-place.ts'
import { bucketOptions } from './choose-store.ts'

/**
 * Opens a lake by its address: a folder, or `s3://BUCKET/PREFIX` with the region, endpoint and key of
 * `archive.s3`.
 */
export async function openLake(
  wiring: { config: Pick<Config, 'archive'>; clock: Clock },
  address: string,
): Promise<LakePlace> {
  if (!address.startsWith('s3://')) {
    const { createLakeFolder } = await import('../store/lake-folder.ts')
    return createLakeFolder(address)
  }
  const [, bucket, prefix = ''] =
    /^s3:\/\/([\w.-]{1,255})(?:\/([\w./-]*?))?\/*$/.exec(address) ?? []
  if (bucket === undefined)
    throw new ConfigurationError('lake_unusable', {
      tried: `Opening the lake ${address}`,
      expected: 's3://BUCKET/PREFIX',
      came: 'the address has another form',
      todo: 'correct the address',
    })
  const { createS3Lake } = await import('../store/s3-lake.ts')
  const unused = { account: '', lockDays: undefined, temporaryDirectory: '' }
  return createS3Lake({ ...bucketOptions(wiring, bucket), ...unused, prefix })
}
