import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Which process holds a lease, a claim or a server, told so that another one can see whether it still
 * lives.
 */
export interface Holder {
  host: string
  /** Tells apart containers of one host name, and boots of one machine, where the system says so. */
  place: string
  pid: number
  /** When the process started, in the system's own ticks: process ids are used again. */
  started: string
}

export function thisProcess(): Holder {
  return { host: hostname(), place: place(), pid: process.pid, started: startOf(process.pid) }
}

/** True only when the holder certainly no longer runs; of a process elsewhere nothing is known. */
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
    // EPERM: it lives and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // A zombie has ended; in a container without an init nobody ever looks.
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

/** The system's words on a process from its state on; none where there is no /proc. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
