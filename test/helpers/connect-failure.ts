import type { LoadError } from '../../src/core/errors.ts'
import { type ConnectOptions, connect } from '../../src/warehouse/connect.ts'

/** Returns the error of an unusable database; fails if the database works. */
export async function connectFailure(options: ConnectOptions): Promise<LoadError> {
  const broken = connect(options)
  try {
    return await broken.ping().then(
      () => Promise.reject(new Error('it worked')),
      (error: unknown) => error as LoadError,
    )
  } finally {
    await broken.close()
  }
}
