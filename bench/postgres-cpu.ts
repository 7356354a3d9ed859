import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * CPU milliseconds of a Postgres server so far, with all its processes, those that ended included; undefined
 * where there is no /proc to read them from.
 */
export function postgresCpuMs(dataDirectory: string): number | undefined {
  try {
    const [postmaster] = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')
    const own = statOf(postmaster ?? '')
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(statOrNothing)
      .filter((stat) => stat?.parent === own.parentOf)
    const living = children.reduce((sum, stat) => sum + (stat?.ownTicks ?? 0), 0)
    return (own.ownTicks + own.endedTicks + living) * TICK_MS
  } catch {
    return undefined
  }
}

interface Stat {
  parent: string
  /** What its children call their parent. */
  parentOf: string
  ownTicks: number
  /** Of children that ended and were waited for. */
  endedTicks: number
}

function statOrNothing(pid: string): Stat | undefined {
  try {
    return statOf(pid)
  } catch {
    // It ended between the listing and now; its parent has its ticks.
    return undefined
  }
}

/** The fields of `man proc_pid_stat`, counted after the name, which may hold blanks. */
function statOf(pid: string): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = (from: number): number => Number(fields[from]) + Number(fields[from + 1])
  return { parent: fields[1] ?? '', parentOf: pid, ownTicks: ticks(11), endedTicks: ticks(13) }
}

/** Linux counts in hundredths of a second on every common machine. */
const TICK_MS = 10
