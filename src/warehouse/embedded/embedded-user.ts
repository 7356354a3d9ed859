import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigurationError } from '../../core/errors.ts'

export interface ServerUser {
  uid: number
  gid: number
}

/**
 * Returns the user to run Postgres as; undefined for our own user. Postgres refuses to run as root, so root
 * uses one of the system's unprivileged users.
 */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = new Map(readFileSync('/etc/passwd', 'utf8').split('\n').map(readUser))
  for (const name of ['nobody', 'postgres', 'daemon']) {
    const user = users.get(name)
    if (user !== undefined && user.uid > 0) return user
  }
  throw new ConfigurationError('embedded_user', {
    tried: 'Starting the embedded Postgres as root',
    came: '/etc/passwd has no user nobody, postgres or daemon to run Postgres as',
    todo: 'run Callsheet as an ordinary user, or set database.url to your own Postgres',
  })
}

/** Returns true if the user can enter every directory on the path. */
export function canTraverse(path: string, { uid, gid }: ServerUser): boolean {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid: owner, gid: group } = statSync(at)
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
  }
}

function readUser(line: string): [string, ServerUser] {
  const [name = '', , uid, gid] = line.split(':')
  return [name, { uid: Number(uid), gid: Number(gid) }]
}
