import { readFile } from 'node:fs/promises'
import { openAccess, type S3Options } from './s3-client.ts'
import { wrapErrors } from './s3-error.ts'
import { putBytes } from './s3-put.ts'

/** A bucket for files that we do not read again, without a lock. */
export type Bucket = Omit<S3Options, 'account' | 'lockDays' | 'temporaryDirectory'>

/**
 * Sends files of an account to `<prefix>/<account>/<name>`. Replaces an object of the same name. Rejects with
 * a StoreError if a file did not arrive.
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
