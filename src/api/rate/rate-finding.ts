import type { BucketSigns } from './limit-model.ts'
import { marginOf, type RefusalCost } from './refusal-cost.ts'

export interface FinderOptions {
  /** What all rates here are counted by. */
  windowMs: number
  /** The calls of a window that the service is known to allow; undefined where they are to be learned. */
  cap: number | undefined
  /** Calls a window to begin with, where nothing was learned before. */
  first: number
  learned: number | undefined
  /** The share of what is learned that is left to others. */
  reserve: number
  /** The longest time without a test. */
  lastTestMs: number
}

/**
 * `free`: a known quota is all ours, and its places alone pace it. `grow`: no limit was met yet. `climb`: on
 * the way up after a fall. `cruise`: just below the ceiling. `test`: a look whether there is more by now.
 */
export type Phase = 'free' | 'grow' | 'climb' | 'cruise' | 'test'

/** What is known of a label's rate: a pure state, moved by refusals and by windows without one. */
export interface Finding {
  phase: Phase
  /** Calls a window. */
  rate: number
  /** The rate that was refused, as far as that can be told; infinite until one was. */
  ceiling: number
  /** By how much the rate of a climb or test rises in a window. */
  growth: number
  steppedMs: number
  settledMs: number
  testAfterMs: number
  /** The rate of the last whole window without a refusal. */
  passed: number
  /** Up to the last step, the calls of a test beyond the ceiling, in windows. */
  excess: number
  signs: BucketSigns
  cost: RefusalCost
}

/** The rate just below a ceiling. */
export function cruising(
  { reserve }: Pick<FinderOptions, 'reserve'>,
  { ceiling, cost }: Pick<Finding, 'ceiling' | 'cost'>,
): number {
  return ceiling * (1 - marginOf(cost)) * (1 - reserve)
}

/** What a test has sent beyond the ceiling by now. */
export function excessAt(
  { windowMs }: Pick<FinderOptions, 'windowMs'>,
  { rate, ceiling, excess, steppedMs }: Finding,
  nowMs: number,
): number {
  return excess + ((rate / ceiling - 1) * (nowMs - steppedMs)) / windowMs
}

export const FIRST_TEST_WINDOWS = 30
/** A bound for rates that nothing has refused. */
export const MOST = 500
