import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder that only its owner can read, whatever the umask; an existing one stays unchanged.
 * `passable` lets others open entries whose names they know, but not list them. Parents are created one by
 * one, since Node's recursive mode loops forever in `/proc`.
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
