import { readFile } from 'node:fs/promises'
import { openAccess, type S3Options } from './s3-client.ts'
import { wrapErrors } from './s3-error.ts'
import { putBytes } from './s3-put.ts'

/** The options of a bucket for files that Callsheet sends without a lock and does not read again. */
export type Bucket = Omit<S3Options, 'account' | 'lockDays' | 'temporaryDirectory'>

/**
 * Sends an account's files to `<prefix>/<account>/<name>`, replacing objects of the same name. Rejects with a
 * StoreError at the first file that the bucket does not store.
 */
export async function sendToBucket(
  bucket: Bucket,
  account: string,
  files: readonly { name: string; path: string }[],
): Promise<void> {
  const access = openAccess({ ...bucket, account, lockDays: undefined, temporaryDirectory: '' })
  try {
    for (const { name, path } of files) {
      const body = await readFile(path)
      await wrapErrors(`Sending ${name} to the ${access.place}`, () =>
        putBytes(access, `${access.root}${name}`, body),
      )
    }
  } finally {
    access.client.destroy()
  }
}
