import { whoAsks } from '../account/who-asks.ts'
import type { Hold, OnDecided } from '../archive/sql/holds.ts'
import type { BundleCase } from '../audit/proof/bundle-format.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { refuseOver } from './archive-hold.ts'

/**
 * The case that an export is for. The details are accepted only for a new case, because its hold stores them.
 */
export interface CaseOptions {
  case?: string
  reason?: string
  askedBy?: string
  /** The first instant after the hold, in epoch milliseconds. */
  until?: number
}

interface Scope {
  account: string
  nowMs: number
  whiteboard?: string | undefined
  /** Records the decision to place a hold. */
  onDecided?: OnDecided
}

/**
 * Returns the hold of a case, and places it if there is none, so that retention rules remove no file of the
 * bundle. Returns undefined without a case. Refuses a hold that has ended or covers less than the bundle.
 */
export async function caseHold(
  warehouse: Warehouse,
  { account, whiteboard, nowMs, onDecided }: Scope,
  options: CaseOptions,
): Promise<Omit<BundleCase, 'exported_by'> | undefined> {
  const { placeHold } = await import('../archive/sql/holds.ts')
  const { case: name, reason, askedBy, until } = options
  const told = [reason, askedBy, until].some((one) => one !== undefined)
  if (name === undefined) {
    if (told) throw withoutCase()
    return undefined
  }
  const known = await holdOf(warehouse, account, name)
  if (known !== undefined) {
    if (told) throw refused(name, 'no reason, asker or end for a case that is known', toldOf(known))
    if (!known.active) throw refused(name, 'a hold that holds', 'one that ended')
    if (known.sessionId !== undefined || ![undefined, whiteboard].includes(known.whiteboardId))
      throw refused(name, 'a hold of all that the bundle is of', 'one of less')
    return factsOf(known)
  }
  if (reason === undefined || askedBy === undefined)
    throw refused(name, 'for a new case --reason and --asked-by', 'a new one without')
  refuseOver(name, until, nowMs)
  await placeHold(warehouse, {
    account,
    name,
    reason: `${reason} (asked for by ${askedBy})`,
    whiteboardId: whiteboard,
    endsAtMs: until,
    placedBy: whoAsks(),
    onDecided,
  })
  const placed = await holdOf(warehouse, account, name)
  return placed && factsOf(placed)
}

async function holdOf(warehouse: Warehouse, account: string, name: string) {
  const { readHolds } = await import('../archive/sql/holds.ts')
  return (await readHolds(warehouse, account)).find((hold) => hold.name === name)
}

function factsOf({ name, reason, ends }: Hold): Omit<BundleCase, 'exported_by'> {
  return { name, reason, held_until: ends ?? null }
}

function toldOf({ reason, ends }: Hold): string {
  return `it is held ${ends === undefined ? 'until released' : `until before ${ends}`}: ${reason}`
}

function withoutCase(): ConfigurationError {
  return new ConfigurationError('case_missing', {
    tried: 'Reading for which case an export is made',
    expected: '--case beside --reason, --asked-by and --until',
    came: 'no case',
    todo: 'name one: --case NAME',
  })
}

function refused(name: string, expected: string, came: string): ConfigurationError {
  return new ConfigurationError('case_unfit', {
    tried: `Exporting for the case ${name}`,
    expected,
    came,
    todo: 'see which holds there are: callsheet archive hold list',
  })
}
