import { readFileSync, writeFileSync } from 'node:fs'

/**
 * The most memory that this process ever held, in bytes. On Linux `maxRSS` begins at what the parent held
 * when it started this process, so a small child of a large one would seem large; `VmHWM` begins anew.
 */
export function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (kibibytes === undefined) throw new Error('/proc/self/status names no VmHWM')
  return Number(kibibytes) * 1024
}

/** Lets the peak begin anew, and says from what. */
export function resetPeak(): number {
  if (process.platform !== 'linux') return peakBytes()
  writeFileSync('/proc/self/clear_refs', '5')
  return peakBytes()
}
