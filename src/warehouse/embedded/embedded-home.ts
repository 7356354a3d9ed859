import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from '../../core/errors.ts'
import { makePrivateDirectory } from '../../core/private-directory.ts'
import { MOST_SECRET_BYTES, readSmallFile } from '../../core/read-small-file.ts'
import { canTraverse, type ServerUser } from './embedded-user.ts'

/** The paths of an embedded server. Only `cluster` belongs to the server's user. */
export interface Home {
  directory: string
  /** The directory that contains Postgres's own `data`. */
  cluster: string
  data: string
  log: string
  password: string
}

/** Creates the directories, and a password file that only its owner can read. */
export function openHome(directory: string, user: ServerUser | undefined): Home {
  try {
    return makeHome(directory, user)
  } catch (cause) {
    const { code, path = directory } = cause as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM') throw cause
    throw foreignHome(directory, `this user has no permission to use ${path}`, cause)
  }
}

function makeHome(directory: string, user: ServerUser | undefined): Home {
  // Root runs the server as another user, who must be able to enter.
  makePrivateDirectory(directory, { passable: user !== undefined })
  const root = realpathSync(directory)
  const cluster = openCluster(root, user)
  const owner = user?.uid ?? process.getuid?.()
  const { uid } = statSync(cluster)
  if (owner !== undefined && uid !== owner)
    throw foreignHome(directory, `${cluster} belongs to user ${uid}, not to user ${owner}`)
  const file = join(root, 'password')
  if (!existsSync(file))
    writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' })
  return {
    directory: root,
    cluster,
    data: join(cluster, 'data'),
    log: join(cluster, 'server.log'),
    password: readSmallFile(file, MOST_SECRET_BYTES).toString('utf8').trim(),
  }
}

function foreignHome(directory: string, came: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('embedded_foreign', {
    tried: `Opening the embedded Postgres in ${directory}`,
    expected: 'a folder that an earlier run under the same user created',
    came,
    todo: 'run Callsheet as the user who ran it first, or set database.directory to another folder',
    cause,
  })
}

/** If the server's user cannot enter the directory, its data is stored elsewhere, behind a link. */
function openCluster(root: string, user: ServerUser | undefined): string {
  const link = join(root, 'cluster')
  if (existsSync(link)) return realpathSync(link)
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) unlinkSync(link)
  if (user === undefined || canTraverse(root, user)) return ownedDirectory(link, user)
  const elsewhere = join(ELSEWHERE, createHash('sha256').update(root).digest('hex').slice(0, 16))
  // If data is there, somebody removed the link to start with an empty cluster.
  rmSync(elsewhere, { recursive: true, force: true })
  mkdirSync(ELSEWHERE, { recursive: true, mode: 0o755 })
  ownedDirectory(elsewhere, user)
  symlinkSync(elsewhere, link)
  return elsewhere
}

function ownedDirectory(path: string, user: ServerUser | undefined): string {
  mkdirSync(path, { mode: 0o700 })
  chmodSync(path, 0o700)
  if (user !== undefined) chownSync(path, user.uid, user.gid)
  return path
}

const ELSEWHERE = '/var/lib/callsheet'
