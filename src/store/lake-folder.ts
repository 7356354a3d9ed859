import { createReadStream } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makePrivateDirectory } from '../core/private-directory.ts'
import { flushFolder } from './dirty-folders.ts'
import type { LakePlace } from './lake-place.ts'
import { faultGuard } from './store-fault.ts'

/** A lake in a local folder. Only the owner can read its files, because tables contain names of people. */
export function createLakeFolder(folder: string): LakePlace {
  const address = resolve(folder)
  const guard = faultGuard({ place: address, setting: '--lake' })
  return {
    address,
    read: (path) =>
      guard('Reading a file of the lake', async () => {
        const file = await open(path).catch(ifThere)
        return file?.createReadStream()
      }),
    put: (path, content) =>
      guard('Storing a file of the lake', async () => {
        const temporary = `${path}.part`
        makePrivateDirectory(dirname(path))
        await rm(temporary, { force: true })
        const bytes = content instanceof Uint8Array ? content : createReadStream(content.path)
        await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx', flush: true })
        await rename(temporary, path)
        await flushFolder(dirname(path))
      }),
    remove: (path) => guard('Removing a file of the lake', () => rm(path, { force: true })),
  }
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
