import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A control group of Linux, whose processes get no more memory than it has: the system ends one that needs
 * more. A process that may have much takes much, so its peak does not tell with how little it would do.
 */
export interface MemoryLimit {
  /** What is started in here is in the group from its first instruction. */
  within<T>(start: () => T): T
  /** Removes the group, whose processes have ended. */
  remove(): void
}

/** Undefined where there are no control groups, or this user can make none. */
export function limitMemory(bytes: number): MemoryLimit | undefined {
  const version = VERSIONS.find(({ root, asks }) => existsSync(join(root, asks)))
  if (version === undefined) return undefined
  const { root, limit, swap, ownIn } = version
  const group = join(root, `callsheet-bench-${process.pid}`)
  try {
    mkdirSync(group)
  } catch {
    return undefined
  }
  try {
    writeFileSync(join(group, limit), String(bytes))
    if (existsSync(join(group, swap.file))) writeFileSync(join(group, swap.file), swap.value(bytes))
  } catch {
    rmdirSync(group)
    return undefined
  }
  const own = ownIn(readFileSync('/proc/self/cgroup', 'utf8'))
  const move = (to: string): void => writeFileSync(join(to, 'cgroup.procs'), String(process.pid))
  return {
    within(start) {
      // A process begins in its parent's group.
      move(group)
      try {
        return start()
      } finally {
        move(join(root, own))
      }
    },
    remove: () => rmdirSync(group),
  }
}

/** Of the second version there is one tree, of the first one for memory alone; each names what is ours. */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup',
    asks: 'cgroup.controllers',
    limit: 'memory.max',
    swap: { file: 'memory.swap.max', value: () => '0' },
    ownIn: (groups: string) => /^0::(.*)$/m.exec(groups)?.[1] ?? '/',
  },
  {
    root: '/sys/fs/cgroup/memory',
    asks: 'memory.limit_in_bytes',
    limit: 'memory.limit_in_bytes',
    swap: { file: 'memory.memsw.limit_in_bytes', value: String },
    ownIn: (groups: string) => /^\d+:memory:(.*)$/m.exec(groups)?.[1] ?? '/',
  },
] as const
