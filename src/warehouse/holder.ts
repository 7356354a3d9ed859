import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Identifies the process that holds a lease, a claim or a server, so that another process can tell whether it
 * still runs.
 */
export interface Holder {
  host: string
  /** Distinguishes containers with the same host name, and boots of one machine, if the system tells. */
  place: string
  pid: number
  /** The start of the process in the system's ticks, because process ids are reused. */
  started: string
}

export function thisProcess(): Holder {
  return { host: hostname(), place: place(), pid: process.pid, started: startOf(process.pid) }
}

/** True only if the holder certainly has ended. About a process on another host nothing is known. */
export function isGone(holder: Holder): boolean {
  if (holder.host !== hostname() || holder.place !== place()) return false
  if (!isRunning(holder.pid)) return true
  const started = startOf(holder.pid)
  return started !== '' && holder.started !== '' && started !== holder.started
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // A zombie has ended. In a container without an init process it stays.
  return statOf(pid)[0] !== 'Z'
}

export function isHolder(value: unknown): value is Holder {
  const holder = value as Holder | null
  return typeof holder === 'object' && typeof holder?.pid === 'number' && 'place' in holder
}

function place(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return process.platform
  }
}

function startOf(pid: number): string {
  return statOf(pid)[19] ?? ''
}

/** The fields of /proc/PID/stat from the state on; empty without /proc. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
