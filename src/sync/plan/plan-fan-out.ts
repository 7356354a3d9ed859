import type { Stream } from '../../core/define/stream.ts'
import { KEY_SEPARATOR, wireKey } from '../../core/records/record-key.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { type ParentRow, parentRows } from '../../warehouse/load/parent-rows.ts'
import { type DueBundle, type DueScope, dueBundles } from '../ledger/due-parents.ts'
import { type SliceHistory, sliceHistories } from '../ledger/slice-histories.ts'
import type { PlannedGroup, PlannedSlice } from './plan-stream.ts'

/** A group that is loaded when its turn comes, so that a run need not keep all due groups in memory. */
export interface LaterGroup extends Pick<PlannedGroup, 'expiring' | 'answered'> {
  /** How many slices are due. */
  count: number
  /** Loads the slices whose parents still exist and have not expired. */
  open(): Promise<PlannedGroup>
}

export type DueGroup = PlannedGroup | LaterGroup

export function sizeOf(group: DueGroup): number {
  return 'open' in group ? group.count : group.slices.length
}

/**
 * Plans the due groups of a fan-out stream. Requests are built when a group's turn comes: a run over a
 * million parents keeps only their IDs in memory.
 */
export async function planFanOut(
  warehouse: Warehouse,
  scope: DueScope,
  answered: boolean,
): Promise<LaterGroup[]> {
  const beside = answered ? ({ answered: true } as const) : {}
  return (await dueBundles(warehouse, scope)).map((bundle) => ({
    ...beside,
    ...(bundle.expiring ? { expiring: true as const } : {}),
    count: bundle.count,
    open: async () => ({ ...(await openBundle(warehouse, scope, bundle)), ...beside }),
  }))
}

async function openBundle(
  warehouse: Warehouse,
  scope: DueScope,
  { ids, expiring }: DueBundle,
): Promise<PlannedGroup> {
  const { account, stream, sync, chainRunId } = scope
  const keys = ids.split(KEY_SEPARATOR)
  const parents = await parentRows(warehouse, scope, keys)
  const names = keys.map((id) => sync.request([id]).slice)
  const of = { account, stream: stream.name, chainRunId }
  const histories = await sliceHistories(warehouse, of, names)
  const byId = new Map(parents.map((parent) => [parent.key[0], parent]))
  const slices = keys.flatMap((id, at) => {
    const parent = byId.get(id)
    return parent === undefined ? [] : [sliceOf(sync, parent, histories.get(names[at] ?? ''))]
  })
  const found = slices.map(({ parent }) => parent?.[0] ?? '')
  const owned = { kind: 'parents', column: stream.key[0] as string, keys: found } as const
  return { stream, owned, slices, ...(expiring ? { expiring } : {}) }
}

function sliceOf(
  sync: Extract<Stream['sync'], { kind: 'fan-out' }>,
  { key, version, besides, span, expiresAtMs }: ParentRow,
  history: SliceHistory | undefined,
): PlannedSlice {
  const { slice } = sync.request(key)
  return {
    request: { ...sync.request(key.map(wireKey), span), slice },
    history,
    owned: undefined,
    parent: key,
    ...(version === '' ? {} : { version }),
    ...(besides === true ? { besides } : {}),
    ...(sync.within !== undefined && span === undefined ? { boundless: true as const } : {}),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  }
}
