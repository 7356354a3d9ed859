import type { Stream } from '../../core/define/stream.ts'
import type { DoubtedList, PreparedRow } from '../../core/records/row-batch.ts'

/** The nested lists that a run doubts, as of its last read of each. */
export interface DoubtedLists {
  /** Notes the rows of a batch that was written, and the doubts about some of their lists. */
  note(rows: readonly PreparedRow[], doubts: readonly DoubtedList[]): void
  /** The parents whose list of this stream is doubted for this reason. */
  parents(stream: Stream, why: DoubtedList['why']): string[]
}

export function doubtedLists(): DoubtedLists {
  const byStream = new Map<Stream, Map<string, DoubtedList['why']>>()
  return {
    note(rows, doubts) {
      if (byStream.size > 0)
        for (const { key, children } of rows)
          for (const { stream } of children) byStream.get(stream)?.delete(key[0] as string)
      for (const { stream, parent, why } of doubts) {
        const lists = byStream.get(stream) ?? new Map<string, DoubtedList['why']>()
        byStream.set(stream, lists.set(parent, why))
      }
    },
    parents: (stream, why) =>
      [...(byStream.get(stream) ?? [])].flatMap(([parent, is]) => (is === why ? [parent] : [])),
  }
}
