import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Identifies the process that has a lease, a claim or a server, so that others can check if it still runs.
 */
export interface Holder {
  host: string
  /** Distinguishes machines or containers with one host name, and boots of a machine; empty if unknown. */
  place: string
  pid: number
  /** The start of the process in the system's ticks, because process ids are reused. */
  started: string
}

export function thisProcess(proc = PROC): Holder {
  return { host: hostname(), place: place(proc), pid: process.pid, started: startOf(process.pid) }
}

/**
 * Returns true only if the holder has certainly ended. False for a process on another machine, or if machines
 * with one name cannot be distinguished: its lease must expire.
 */
export function isGone(holder: Holder, proc = PROC): boolean {
  return holder.place !== '' && isGoneHere(holder, proc)
}

/** Like `isGone`, for a holder that can run only on this machine, such as the embedded server's. */
export function isGoneHere(holder: Holder, proc = PROC): boolean {
  if (holder.host !== hostname() || holder.place !== place(proc)) return false
  if (!isRunning(holder.pid)) return true
  const started = startOf(holder.pid)
  return started !== '' && holder.started !== '' && started !== holder.started
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other error (EPERM) means that the process runs and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // A zombie has ended. In a container without an init process it never disappears.
  return statOf(pid)[0] !== 'Z'
}

export function isHolder(value: unknown): value is Holder {
  const holder = value as Holder | null
  return typeof holder === 'object' && typeof holder?.pid === 'number' && 'place' in holder
}

function place(proc: string): string {
  try {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim()
    return `${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`
  } catch {
    return ''
  }
}

function startOf(pid: number): string {
  return statOf(pid)[19] ?? ''
}

/** The fields of /proc/PID/stat from the state on; empty if the file cannot be read. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`${PROC}/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Exists only on Linux. */
const PROC = '/proc'
