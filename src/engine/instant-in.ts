import { plainInstant } from '../core/plain-values.ts'
import type { Stream, Window, WireRecord } from '../core/stream.ts'

/** The instant by which a window owns a record; undefined where it has none that can be read. */
export function instantIn({ sync }: Stream, record: WireRecord): number | undefined {
  const instant = sync.kind === 'windows' ? plainInstant(record[sync.cursor]) : undefined
  return instant === undefined ? undefined : Date.parse(instant)
}

export function holds({ fromMs, toMs }: Window, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs
}
