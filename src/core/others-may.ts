import { type Stats, statSync } from 'node:fs'

/** The access of other users to a file or a folder, by its owner and mode. */
export interface OthersMay {
  read: boolean
  write: boolean
  /** True if the owner is neither root nor this process's user. */
  foreign: boolean
  /** True if users may remove only their own entries from the folder. */
  sticky: boolean
}

/** Undefined if the path cannot be inspected (the caller reports why), and on Windows, which has no modes. */
export function othersMay(path: string): OthersMay | undefined {
  const stats = process.platform === 'win32' ? undefined : statsOf(path)
  if (stats === undefined) return undefined
  const { mode, uid } = stats
  const foreign = uid !== 0 && uid !== process.getuid?.()
  const has = (bits: number): boolean => (mode & bits) !== 0
  return { read: has(0o044), write: has(0o022), foreign, sticky: has(0o1000) }
}

export function verbsOf({ read, write }: Pick<OthersMay, 'read' | 'write'>): string {
  return [...(read ? ['read'] : []), ...(write ? ['write'] : [])].join(' and ')
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
