import type { Stream } from '../../core/define/stream.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'

/** The fingerprint tables of a run's window groups: those that are read now, and those read last. */
export interface GroupTables {
  add(stream: Stream, table: FingerprintTable): void
  /** The stream's other tables: as a rule one of them holds what stands in a window's overlap. */
  beside(stream: Stream, table: FingerprintTable): readonly FingerprintTable[]
}

export function groupTables(): GroupTables {
  const kept = new Map<Stream, FingerprintTable[]>()
  return {
    add(stream, table) {
      // A table that was loaded empty knows nothing of earlier rows.
      if (stream.sync.kind !== 'windows' || table.size === 0) return
      kept.set(stream, [...(kept.get(stream) ?? []).slice(1 - MOST_KEPT), table])
    },
    beside: (stream, table) => (kept.get(stream) ?? []).filter((other) => other !== table),
  }
}

/** Groups are read newest first, several at once, so a neighbour is one of the last few. */
const MOST_KEPT = 8
