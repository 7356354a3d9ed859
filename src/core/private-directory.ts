import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner can look into, whatever the umask; one that is there already is left as
 * its owner wanted it. `passable` lets others through to what they know the name of, and no further.
 */
export function makePrivateDirectory(path: string, { passable = false } = {}): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let at = resolve(path); ; at = dirname(at)) {
    chmodSync(at, passable ? 0o711 : 0o700)
    if (at === resolve(first) || at === dirname(at)) return
  }
}
