import type { Stream } from '../../core/declare/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import { plainInstant } from '../../core/values/plain-values.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'

/** The instant by which a window owns a record; undefined where it has none that can be read. */
export function instantIn({ sync }: Stream, record: WireRecord): number | undefined {
  const instant = sync.kind === 'windows' ? plainInstant(record[sync.cursor]) : undefined
  return instant === undefined ? undefined : Date.parse(instant)
}

export function holds({ fromMs, toMs }: Window, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs
}
