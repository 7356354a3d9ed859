import { hostname, userInfo } from 'node:os'

/** Returns USER@HOST of the person who runs this process, as far as the machine knows. */
export function whoAsks(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
