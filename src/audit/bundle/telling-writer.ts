import { bundleFileError } from '../../report/report-directory.ts'
import type { BundleWriter } from './bundle-writer.ts'

/**
 * A writer that explains errors of its file. They are converted here, because the transaction in which
 * members are added would take them for the database's.
 */
export function tellingWriter(bundle: BundleWriter, path: string): BundleWriter {
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw bundleFileError(error, path)
    }
  }
  return {
    add: (name, pieces, options) => telling(bundle.add(name, pieces, options)),
    sizes: () => bundle.sizes(),
    end: (key) => telling(bundle.end(key)),
    abandon: () => bundle.abandon(),
  }
}
