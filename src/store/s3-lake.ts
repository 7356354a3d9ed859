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
  const bucket = `s3://${options.bucket}`
  const keyOf = (path: string) => path.slice(bucket.length + 1)
  return {
    address: [bucket, options.prefix].filter((part) => part !== '').join('/'),
    read: (path) => readObject(access, keyOf(path)),
    put: (path, content) =>
      wrapErrors(`Storing a file of the lake in ${place}`, async () => {
        const key = keyOf(path)
        if (content instanceof Uint8Array) return await putBytes(access, key, content)
        const { bytes, sha256 } = content
        const file = await open(content.path)
        try {
          const read = async (offset: number, length: number) => {
            const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
            return buffer.subarray(0, bytesRead)
          }
          await putDraft(access, { key, sha256, draft: { size: () => bytes, read } })
        } finally {
          await file.close()
        }
      }),
    remove: (path) =>
      wrapErrors(`Removing a file of the lake from ${place}`, async () => {
        await client.send(new DeleteObjectCommand(target(access, keyOf(path))))
      }),
  }
}
