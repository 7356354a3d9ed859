import { hostname, userInfo } from 'node:os'

/** Who is answerable, as far as the machine knows. */
export function whoAsks(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
