import { applyOps, type Op, type Touched } from '../protocol/apply-ops.ts'
import { isThere } from '../protocol/find-row.ts'
import type { StreamTruth } from '../protocol/stream-truth.ts'
import { rowCount, type SeedData } from '../seed-data/seed-data.ts'
import type { Overlay, SeedState } from '../seed-data/state.ts'
import { defaultLabel } from '../whiteboards/labels.ts'
import { planMutation } from './plan-mutation.ts'
import { STREAM_TRUTHS } from './truth.ts'

export interface MutateOptions {
  /** The seed of the changes; default: a new one each time, so that every day has its own. */
  seed?: number
  /** The amount: 1 for an ordinary day's changes; 0 and no `ops` for none. */
  scale?: number
  /** These exact changes instead of a drawn day. */
  ops?: readonly Op[]
  /** When the account was last synced: changes that time alone has caused since then count too. */
  sinceMs?: number
}

export interface StreamChange {
  inserted: number
  updated: number
  deleted: number
}
export type MutatedStreams = Readonly<Record<string, StreamChange>>

/**
 * Changes the company and returns, by stream, what the next complete sync must find new, changed and deleted.
 */
export function mutateSeedData(
  seedData: SeedData,
  options: MutateOptions,
  nowMs: number,
): MutatedStreams {
  const { seed = 1 + rowsTouched(seedData.state), scale = 1, sinceMs } = options
  const planned = options.ops ?? planMutation(seedData, { seed, scale, nowMs, sinceMs })
  const ops = planned.map((op) => classified(seedData, op))
  const before = seedData.state
  const { after, touched } = applyOps(seedData, ops)
  seedData.state = after
  const changes: Record<string, StreamChange> = {}
  for (const [stream, truth] of Object.entries(STREAM_TRUTHS)) {
    const change = { inserted: 0, updated: 0, deleted: 0 }
    const rows = { truth, touched: sinceMs === undefined ? touched : undefined }
    for (const index of touchedRows(seedData, after, rows))
      compare({ seedData, before, after, truth, index, nowMs, sinceMs }, change)
    changes[stream] = change
  }
  return changes
}

/** Gives a new board the default label, unless the change names a label. */
function classified(seedData: SeedData, op: Op): Op {
  if (op.kind !== 'boards' || op.action !== 'add') return op
  const label = defaultLabel(seedData, seedData.state) ?? null
  return { ...op, patch: { label, ...op.patch } }
}

/** Returns the rows of a stream that the changes may affect; all rows without `touched`. */
function touchedRows(
  seedData: SeedData,
  after: SeedState,
  { truth, touched }: { truth: StreamTruth; touched: readonly Touched[] | undefined },
): number[] {
  const { kind, follows = [] } = truth
  if (touched === undefined || touched.some((row) => follows.includes(row.kind)))
    return Array.from({ length: rowCount(seedData, after, kind) }, (_, index) => index)
  return touched.filter((row) => row.kind === kind).map(({ index }) => index)
}

function compare(
  facts: {
    seedData: SeedData
    before: SeedState
    after: SeedState
    truth: StreamTruth
    index: number
    nowMs: number
    sinceMs: number | undefined
  },
  change: StreamChange,
): void {
  const { seedData, before, after } = facts
  const old = rowsByKey(seedData, before, { ...facts, nowMs: facts.sinceMs ?? facts.nowMs })
  for (const [key, row] of rowsByKey(seedData, after, facts)) {
    const was = old.get(key)
    if (was === undefined) change.inserted++
    else if (was !== row) change.updated++
    old.delete(key)
  }
  change.deleted += old.size
}

function rowsByKey(
  seedData: SeedData,
  state: SeedState,
  { truth, index, nowMs }: { truth: StreamTruth; index: number; nowMs: number },
): Map<string, string> {
  const rows = new Map<string, string>()
  if (!isThere(seedData, state, { kind: truth.kind, index })) return rows
  const beside = truth.beside?.(seedData, state, index)
  for (const row of truth.rows(seedData, state, { index, nowMs }))
    rows.set(JSON.stringify(truth.key.map((name) => row[name])), JSON.stringify([row, beside]))
  return rows
}

function rowsTouched(state: SeedState): number {
  let rows = 0
  for (const { patches, gone, added } of Object.values(state) as Overlay<unknown>[])
    rows += patches.size + gone.size + added
  return rows
}
