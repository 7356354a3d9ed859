import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner can look into, whatever the umask; one that is there already is left as
 * its owner wanted it. `passable` lets others through to what they know the name of, and no further. Folders
 * are made one by one: Node's recursive way never ends in `/proc`, where the system says that there is none.
 */
export function makePrivateDirectory(path: string, { passable = false } = {}): void {
  const at = resolve(path)
  const parent = dirname(at)
  if (parent !== at && !existsSync(parent)) makePrivateDirectory(parent, { passable })
  try {
    mkdirSync(at, 0o700)
  } catch (error) {
    if (statSync(at, { throwIfNoEntry: false })?.isDirectory() === true) return
    throw error
  }
  chmodSync(at, passable ? 0o711 : 0o700)
}
