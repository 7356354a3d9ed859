import { readFile } from 'node:fs/promises'
import { openAccess, type S3Options } from './s3-client.ts'
import { telling } from './s3-error.ts'
import { putBytes } from './s3-put.ts'

/** A bucket that takes files which we do not read again; no lock is asked for. */
export type Bucket = Omit<S3Options, 'account' | 'lockDays' | 'temporaryDirectory'>

/**
 * Sends files of an account to `<prefix>/<account>/<name>`, each whole. An object of the same name is
 * replaced. Rejects with a StoreError if one did not arrive.
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
      await telling(`Sending ${name} to the ${access.place}`, () =>
        putBytes(access, `${access.root}${name}`, body),
      )
    }
  } finally {
    access.client.destroy()
  }
}
