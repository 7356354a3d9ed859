import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Which process holds a lease, a claim or a server, told so that another one can see whether it still lives. */
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
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const started = startOf(holder.pid)
  return started !== '' && holder.started !== '' && started !== holder.started
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
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended and only waits for its parent to look.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
