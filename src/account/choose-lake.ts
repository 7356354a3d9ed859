import type { Config } from '../config/schema.ts'
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
  if (!address.startsWith(S3)) {
    const { createLakeFolder } = await import('../store/lake-folder.ts')
    return createLakeFolder(address)
  }
  const [bucket = '', ...names] = address.slice(S3.length).split('/')
  const prefix = names.filter((name) => name !== '').join('/')
  const { createS3Lake } = await import('../store/s3-lake.ts')
  const unused = { account: '', lockDays: undefined, temporaryDirectory: '' }
  return createS3Lake({ ...bucketOptions(wiring, bucket), ...unused, prefix })
}

const S3 = 's3://'
