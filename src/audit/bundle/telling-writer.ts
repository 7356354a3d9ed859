import { bundleFileError } from '../../report/report-directory.ts'
import type { BundleWriter } from './bundle-writer.ts'

/**
 * Converts file errors of a writer to errors with a cause and advice. It must do so at once: the transaction
 * in which members are added takes other errors for the database's.
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
