import { writeFileSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { listenAtPoints } from '../../../src/core/kill-point.ts'

/**
 * Preloaded into a child: kills it at the hit that the environment names (`commit:before#3`, or `*#12` for
 * the twelfth of any name), tells its parent of a hit, or writes down all hits when it ends.
 */
const { PROOF_KILL_AT, PROOF_TELL_AT, PROOF_TRACE } = process.env
/** A pipe of its own, since what the child says is its result. */
const PARENT = 3
const counts = new Map<string, number>()
const trace: string[] = []

function count(name: string): string {
  const hits = (counts.get(name) ?? 0) + 1
  counts.set(name, hits)
  return `${name}#${hits}`
}

/** What it compiled is kept for the children after it; a killed process would leave nothing of it. */
function die(): void {
  flushCompileCache()
  process.kill(process.pid, 'SIGKILL')
}

listenAtPoints((name) => {
  const hit = count(name)
  const any = count('*')
  trace.push(hit)
  // Nothing of ours runs after this: neither finally blocks nor answers that are on their way.
  if (hit === PROOF_KILL_AT || any === PROOF_KILL_AT) die()
  if (any === PROOF_TELL_AT) writeSync(PARENT, hit)
  return undefined
})

if (PROOF_TRACE !== undefined)
  process.on('exit', () => writeFileSync(PROOF_TRACE, JSON.stringify(trace)))
