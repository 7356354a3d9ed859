import type { Stream } from '../../core/declare/stream.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'

/** The tables of a run's groups of windows, those that are read now and those that were read last. */
export interface GroupTables {
  add(stream: Stream, table: FingerprintTable): void
  /** The others of the stream: what stands in a window's margins is in one of them, as a rule. */
  beside(stream: Stream, table: FingerprintTable): readonly FingerprintTable[]
}

export function groupTables(): GroupTables {
  const kept = new Map<Stream, FingerprintTable[]>()
  return {
    add(stream, table) {
      // One that was loaded empty knows nothing of what stood anywhere before.
      if (stream.sync.kind !== 'windows' || table.size === 0) return
      kept.set(stream, [...(kept.get(stream) ?? []).slice(1 - MOST_KEPT), table])
    },
    beside: (stream, table) => (kept.get(stream) ?? []).filter((other) => other !== table),
  }
}

/** Groups are read newest first, some at once, so a neighbour is one of the last few. */
const MOST_KEPT = 8
