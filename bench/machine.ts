import { cpus, totalmem, type } from 'node:os'

/** What the figures were taken on, in one line. */
export function describeMachine(nodeFlags: readonly string[]): string {
  const [processor] = cpus()
  return [
    `Node ${process.version} on ${type()}`,
    `${cpus().length} x ${processor?.model ?? 'unknown'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `ours started with ${nodeFlags.join(' ') || 'no flags'}`,
  ].join('; ')
}
