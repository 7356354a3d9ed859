import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoadError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type Holder, isGoneHere, isHolder, thisProcess } from '../holder.ts'

/** Lets one process at a time start or stop the server of a directory. Takes over a dead process's lock. */
export async function withDirectoryLock<T>(
  directory: string,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(directory, 'lock')
  const since = clock.elapsed()
  let unreadSince = Number.POSITIVE_INFINITY
  for (let lock = tryLock(path); lock !== 'taken'; lock = tryLock(path)) {
    const elapsed = clock.elapsed()
    unreadSince = lock === 'unreadable' ? Math.min(unreadSince, elapsed) : Number.POSITIVE_INFINITY
    // A lock file that stays unreadable was left empty by a full disk or a power cut.
    if (elapsed > unreadSince + WRITING_MS) rmSync(path, { force: true })
    if (elapsed > since + LOCK_WAIT_MS) throw lockedError(path)
    await clock.sleep(50)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function tryLock(path: string): 'taken' | 'held' | 'unreadable' {
  try {
    writeFileSync(path, JSON.stringify(thisProcess()), { flag: 'wx' })
    return 'taken'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const holder = readHolder(path)
  if (holder === undefined) return 'unreadable'
  if (isGoneHere(holder)) rmSync(path, { force: true })
  return 'held'
}

function lockedError(path: string): LoadError {
  const holder = readHolder(path)
  return new LoadError('embedded_locked', {
    tried: 'Starting or stopping the embedded Postgres',
    came:
      `process ${holder?.pid ?? '(unknown)'} on ${holder?.host ?? '(unknown)'} is starting or ` +
      'stopping this Postgres',
    todo: `wait for that process, or remove ${path} if the process no longer runs`,
  })
}

/** Records that this process uses the server, so that no other process stops it on exit. */
export function enterUse(directory: string, id: number): void {
  mkdirSync(join(directory, 'users'), { recursive: true })
  writeFileSync(join(directory, 'users', `${process.pid}-${id}`), JSON.stringify(thisProcess()))
}

/** Ends this use, and deletes records of dead processes. Returns true if no other process uses the server. */
export function leaveUse(directory: string, id: number): boolean {
  const folder = join(directory, 'users')
  rmSync(join(folder, `${process.pid}-${id}`), { force: true })
  let others = 0
  for (const name of readdirSync(folder)) {
    const holder = readHolder(join(folder, name))
    if (holder !== undefined && !isGoneHere(holder)) others++
    else rmSync(join(folder, name), { force: true })
  }
  return others === 0
}

function readHolder(path: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isHolder(value) ? value : undefined
  } catch {
    return undefined
  }
}

const LOCK_WAIT_MS = 90_000
/** After this time an empty lock file counts as left over: a process writes its own at once. */
const WRITING_MS = 1000
