import { type Company, rowCount } from '../company/company.ts'
import type { Overlay, State } from '../company/state.ts'
import { applyOps, type Op, type Touched } from '../protocol/apply-ops.ts'
import { isThere } from '../protocol/find-row.ts'
import type { StreamTruth } from '../protocol/stream-truth.ts'
import { defaultLabel } from '../whiteboards/labels.ts'
import { planMutation } from './plan-mutation.ts'
import { STREAM_TRUTHS } from './truth.ts'

export interface MutateOptions {
  /** By default another one each time, so that every day brings changes of its own. */
  seed?: number
  /** 1: an ordinary day's changes. 0 and no `ops`: nothing. */
  scale?: number
  /** Exactly these, instead of a drawn day. */
  ops?: readonly Op[]
}

export interface StreamChange {
  inserted: number
  updated: number
  deleted: number
}
export type Changes = Readonly<Record<string, StreamChange>>

/**
 * Changes the company and says, stream by stream, what the next complete sync must find new, changed and
 * gone.
 */
export function mutateCompany(company: Company, options: MutateOptions, nowMs: number): Changes {
  const { seed = 1 + rowsTouched(company.state), scale = 1 } = options
  const planned = options.ops ?? planMutation(company, { seed, scale, nowMs })
  const ops = planned.map((op) => classified(company, op))
  const before = company.state
  const { after, touched } = applyOps(company, ops)
  company.state = after
  const changes: Record<string, StreamChange> = {}
  for (const [stream, truth] of Object.entries(STREAM_TRUTHS)) {
    const change = { inserted: 0, updated: 0, deleted: 0 }
    for (const index of touchedRows(company, after, { truth, touched }))
      compare({ company, before, after, truth, index, nowMs }, change)
    changes[stream] = change
  }
  return changes
}

/** A new board carries the default label, if nothing else is said. */
function classified(company: Company, op: Op): Op {
  if (op.kind !== 'boards' || op.action !== 'add') return op
  const label = defaultLabel(company, company.state) ?? null
  return { ...op, patch: { label, ...op.patch } }
}

/** The rows of a stream that the changes may show in. */
function touchedRows(
  company: Company,
  after: State,
  { truth, touched }: { truth: StreamTruth; touched: readonly Touched[] },
): number[] {
  const { kind, follows = [] } = truth
  if (touched.some((row) => follows.includes(row.kind)))
    return Array.from({ length: rowCount(company, after, kind) }, (_, index) => index)
  return touched.filter((row) => row.kind === kind).map(({ index }) => index)
}

function compare(
  facts: {
    company: Company
    before: State
    after: State
    truth: StreamTruth
    index: number
    nowMs: number
  },
  change: StreamChange,
): void {
  const { company, before, after } = facts
  const old = rowsByKey(company, before, facts)
  for (const [key, row] of rowsByKey(company, after, facts)) {
    const was = old.get(key)
    if (was === undefined) change.inserted++
    else if (was !== row) change.updated++
    old.delete(key)
  }
  change.deleted += old.size
}

function rowsByKey(
  company: Company,
  state: State,
  { truth, index, nowMs }: { truth: StreamTruth; index: number; nowMs: number },
): Map<string, string> {
  const rows = new Map<string, string>()
  if (!isThere(company, state, { kind: truth.kind, index })) return rows
  const beside = truth.beside?.(company, state, index)
  for (const row of truth.rows(company, state, { index, nowMs }))
    rows.set(JSON.stringify(truth.key.map((name) => row[name])), JSON.stringify([row, beside]))
  return rows
}

function rowsTouched(state: State): number {
  let rows = 0
  for (const { patches, gone, added } of Object.values(state) as Overlay<unknown>[])
    rows += patches.size + gone.size + added
  return rows
}
