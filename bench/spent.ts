import { peakBytes } from './peak-memory.ts'

/** What a contestant's work took, measured in its own process around the work alone. */
export interface Spent {
  wallMs: number
  cpuMs: number
  rows: number
  pages: number
  /** Of the whole process. */
  peakBytes: number
}

export async function spend(work: () => Promise<{ rows: number; pages: number }>): Promise<Spent> {
  const before = process.cpuUsage()
  const startedMs = performance.now()
  const { rows, pages } = await work()
  const wallMs = performance.now() - startedMs
  const { user, system } = process.cpuUsage(before)
  return { wallMs, cpuMs: (user + system) / 1000, rows, pages, peakBytes: peakBytes() }
}
