import { stat } from 'node:fs/promises'
import { ConfigurationError } from '../../core/errors.ts'
import { refuseOthers, UnfitFile } from '../../core/read-small-file.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../../core/unopened-file.ts'
import { type BundleReader, openBundle } from '../proof/bundle-reader.ts'
import { type BundleFile, openBundleFile } from './open-file.ts'
import { unpack } from './unpack.ts'

/** Opens a bundle on disk. Throws a configuration error (exit code 2) if the file is not a bundle. */
export async function readBundle(path: string): Promise<BundleReader & { close(): Promise<void> }> {
  let file: BundleFile | undefined
  try {
    refuseOthers(await stat(path))
    const opened = openBundleFile(path)
    file = opened
    const bundle = await openBundle(opened, unpack)
    return { ...bundle, close: () => bundle.settle().then(() => opened.close()) }
  } catch (error) {
    await file?.close()
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): ConfigurationError {
  const unopened = error instanceof UnfitFile ? error.message : whyNotOpened(error)
  return new ConfigurationError('bundle_unreadable', {
    tried: `Reading the bundle ${path}`,
    expected: 'a ZIP file that callsheet audit export wrote',
    came: unopened ?? (error as Error).message,
    todo: unopened === undefined ? 'ask the sender to send the file again' : CHECK_THE_PATH,
    cause: error,
  })
}
