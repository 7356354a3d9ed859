import type { IdMaker } from '../seed-data/ids.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import {
  type Kind,
  mapKinds,
  type Overlay,
  overlayOf,
  type PatchOf,
  type SeedState,
} from '../seed-data/state.ts'
import { recordingOfSessionId } from './links.ts'

/** One change of the company. A row is named by ID or index; an added row gets the next index. */
export type Op = {
  [K in Kind]:
    | { kind: K; action: 'change'; id?: string; index?: number; patch: PatchOf<K> }
    | { kind: K; action: 'remove'; id?: string; index?: number }
    | { kind: K; action: 'add'; patch?: PatchOf<K> }
}[Kind]

export interface Touched {
  kind: Kind
  index: number
}

/** Returns the state after the changes, and the rows they changed. Leaves the earlier state unchanged. */
export function applyOps(
  seedData: SeedData,
  ops: readonly Op[],
): { after: SeedState; touched: readonly Touched[] } {
  const drafts = mapKinds<Overlay<object>, Draft>(seedData.state, draftOf)
  const touched = new Map<string, Touched>()
  for (const op of ops) {
    const draft = (drafts[op.kind] ??= draftOf(overlayOf(seedData.state, op.kind)))
    const base = seedData.sizes[op.kind] ?? 0
    const index = op.action === 'add' ? base + draft.added++ : indexOf(seedData, op)
    if (index < 0 || index >= base + draft.added)
      throw new RangeError(`there is no row ${String(index)} of ${op.kind} to ${op.action}`)
    touched.set(`${op.kind} ${String(index)}`, { kind: op.kind, index })
    if (op.action === 'remove') draft.gone.add(index)
    else if (op.patch !== undefined)
      draft.patches.set(index, { ...draft.patches.get(index), ...op.patch })
  }
  return { after: drafts, touched: [...touched.values()] }
}

interface Draft {
  patches: Map<number, object>
  gone: Set<number>
  added: number
}

function draftOf({ patches, gone, added }: Overlay<object>): Draft {
  return { patches: new Map(patches), gone: new Set(gone), added }
}

/**
 * Finds a row's index, if it is not given, by the row's ID. The ID of a recording is that of its session.
 * Peering numbers have no ID.
 */
function indexOf(seedData: SeedData, op: { kind: Kind; id?: string; index?: number }): number {
  if (op.index !== undefined) return op.index
  const id = op.id ?? ''
  const ids: Partial<Record<Kind, IdMaker>> = seedData.ids
  const found =
    op.kind === 'recordings' ? recordingOfSessionId(seedData, id) : ids[op.kind]?.indexOf(id)
  if (found === undefined) throw new RangeError(`no row of ${op.kind} has the ID ${id}`)
  return found
}
