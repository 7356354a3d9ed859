import { open } from 'node:fs/promises'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import type { LakePlace } from './lake-place.ts'
import { openAccess, type S3Options, target } from './s3-client.ts'
import { wrapErrors } from './s3-error.ts'
import { putBytes, putDraft } from './s3-put.ts'
import { readObject } from './s3-store.ts'

/** A lake in a bucket. Its objects are never locked, so `lockDays` must be undefined. */
export function createS3Lake(options: S3Options): LakePlace {
  const access = openAccess(options)
  const { client, place } = access
  const { bucket, prefix } = options
  const root = prefix === '' ? '' : `${prefix}/`
  const storing = `Storing a file of the lake in ${place}`
  return {
    address: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`,
    read: (name) => readObject(access, root + name),
    put: (name, bytes) => wrapErrors(storing, () => putBytes(access, root + name, bytes)),
    putFile: (name, { path, bytes, sha256 }) =>
      wrapErrors(storing, async () => {
        const file = await open(path)
        try {
          const read = async (offset: number, length: number) => {
            const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
            return buffer.subarray(0, bytesRead)
          }
          await putDraft(access, { key: root + name, sha256, draft: { size: () => bytes, read } })
        } finally {
          await file.close()
        }
      }),
    remove: (name) =>
      wrapErrors(`Removing a file of the lake from ${place}`, async () => {
        await client.send(new DeleteObjectCommand(target(access, root + name)))
      }),
    close: () => client.destroy(),
  }
}
