import { createReadStream } from 'node:fs'
import { copyFile, lstat, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makePrivateDirectory } from '../core/private-directory.ts'
import { flushFolder } from './dirty-folders.ts'
import type { LakePlace } from './lake-place.ts'
import { faultGuard } from './store-fault.ts'

/** A lake in a local folder, readable only by its owner, because tables contain names of people. */
export function createLakeFolder(path: string): LakePlace {
  const address = resolve(path)
  const guard = faultGuard({ place: address, setting: '--lake' })
  const store = (name: string, write: (temporary: string) => Promise<void>) =>
    guard('Storing a file of the lake', () => storeFile(join(address, name), write))
  return {
    address,
    read: (name) =>
      guard('Reading a file of the lake', async () => {
        const found = await lstat(join(address, name)).catch(ifThere)
        return found === undefined ? undefined : createReadStream(join(address, name))
      }),
    put: (name, bytes) => store(name, (temporary) => writeFile(temporary, bytes)),
    putFile: (name, file) => store(name, (temporary) => copyFile(file.path, temporary)),
    remove: (name) =>
      guard('Removing a file of the lake', () => rm(join(address, name), { force: true })),
    close: () => {},
  }
}

async function storeFile(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.part`
  makePrivateDirectory(dirname(path))
  await rm(temporary, { force: true })
  await write(temporary)
  const file = await open(temporary, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await flushFolder(dirname(path))
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
