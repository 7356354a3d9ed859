import { hostname, userInfo } from 'node:os'

/** Returns the responsible user, as far as the machine knows. */
export function whoAsks(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
