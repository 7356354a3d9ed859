import type { Stream } from '../../core/define/stream.ts'
import { monthEnds } from './month-ends.ts'
import {
  blocksOf,
  lastNameOf,
  limitsOf,
  listsBesides,
  type PlanFacts,
  planIncremental,
  windowsOf,
} from './plan-stream.ts'

/**
 * The names of the slices that runs keep up to date in a stream of windows. Omits windows that are now cut
 * differently or lie beyond the history limit, and finished weeks of incremental reads.
 */
export function keptSlices(stream: Stream, facts: PlanFacts): string[] {
  const { sync } = stream
  if (sync.kind !== 'windows') return []
  const incremental = planIncremental(stream, { sync, candidates: windowsOf(sync, facts) }, facts)
  const blocks = blocksOf(sync, facts)
  return [
    ...blocks.map((block) => lastNameOf(block, facts)),
    ...monthEnds(blocks, limitsOf(sync, facts)).map(({ slice }) => slice),
    ...listsBesides(sync, facts).map(({ slice }) => slice),
    ...incremental.flatMap(({ slices }) => slices.map(({ request }) => request.slice)),
  ]
}
