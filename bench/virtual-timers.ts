import type { Clock } from '../src/core/time/clock.ts'

/**
 * Puts a clock in the place of this process's timers, for libraries that reach for the global ones. For a
 * process of its own: nothing else here can wait for real time afterwards.
 */
export function replaceTimers(clock: Clock): void {
  const cancels = new Map<number, () => void>()
  let made = 0
  const later = (again: boolean) => (work: () => void, ms: number) => {
    const id = ++made
    const ring = (): void => {
      if (again) cancels.set(id, clock.alarm(ms, ring))
      else cancels.delete(id)
      work()
    }
    cancels.set(id, clock.alarm(ms, ring))
    return id
  }
  const cancel = (id: number | undefined): void => {
    cancels.get(id ?? 0)?.()
    cancels.delete(id ?? 0)
  }
  const timers = { setTimeout: later(false), setInterval: later(true) }
  Object.assign(globalThis, { ...timers, clearTimeout: cancel, clearInterval: cancel })
  Date.now = clock.now
}
