import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner can look into, whatever the umask; one that is there already is left as
 * its owner wanted it. `passable` lets others through to what they know the name of, and no further. One by
 * one: where the system says of a folder in `/proc` that there is no such one, Node's recursive way never
 * ends.
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
