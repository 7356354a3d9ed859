import {
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3'
import type { StoreError } from '../core/errors.ts'
import { type S3Access, target } from './s3-client.ts'
import { s3Error, statusOf, wrapErrors } from './s3-error.ts'

/** Returns undefined if the object is missing. Throws if the bucket is missing; a second call checks it. */
export async function headOf(
  access: S3Access,
  key: string,
  version?: string,
): Promise<HeadObjectCommandOutput | undefined> {
  return await wrapErrors(`Looking for a file in ${access.place}`, async () => {
    const head = await tryHead(access, key, version)
    if (head !== undefined) return head
    await access.client
      .send(new HeadBucketCommand({ Bucket: access.options.bucket }))
      .catch((error: unknown) => {
        throw statusOf(error) === 404 ? noBucket(access) : error
      })
    return undefined
  })
}

/** Returns the answer to HEAD; undefined if the object, or the whole bucket, is missing. */
export async function tryHead(
  access: S3Access,
  key: string,
  version?: string,
): Promise<HeadObjectCommandOutput | undefined> {
  try {
    const one = version === undefined ? {} : { VersionId: version }
    return await access.client.send(new HeadObjectCommand({ ...target(access, key), ...one }))
  } catch (error) {
    // Some services answer 400 for a version that they never issued.
    const status = statusOf(error)
    if (status === 404 || (status === 400 && version !== undefined)) return undefined
    throw error
  }
}

function noBucket({ place }: S3Access): StoreError {
  return s3Error(
    { name: 'NoSuchBucket', $metadata: { httpStatusCode: 404 } },
    `Looking into ${place}`,
  )
}
