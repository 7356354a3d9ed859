import { whoAsks } from '../account/who-asks.ts'
import type { Hold, OnDecided } from '../archive/sql/holds.ts'
import type { BundleCase } from '../audit/proof/bundle-format.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { refuseOver } from './archive-hold.ts'

/**
 * The case that an export belongs to. The details are accepted only for a new case, because its hold stores
 * them.
 */
export interface CaseOptions {
  case?: string
  reason?: string
  askedBy?: string
  /** The instant at which the hold ends, in epoch milliseconds. */
  until?: number
}

interface Scope {
  account: string
  nowMs: number
  whiteboard?: string | undefined
  /** Called with the decision to place a hold, to record it. */
  onDecided?: OnDecided
}

/**
 * Returns the hold of a case, and places it if it does not exist, so that retention rules remove no file of
 * the bundle. Returns undefined without a case. Refuses a hold that has ended or covers less than the bundle.
 */
export async function caseHold(
  warehouse: Warehouse,
  { account, whiteboard, nowMs, onDecided }: Scope,
  options: CaseOptions,
): Promise<Omit<BundleCase, 'exported_by'> | undefined> {
  const { placeHold } = await import('../archive/sql/holds.ts')
  const { case: name, reason, askedBy, until } = options
  const described = [reason, askedBy, until].some((one) => one !== undefined)
  if (name === undefined) {
    if (described) throw withoutCase()
    return undefined
  }
  const known = await holdOf(warehouse, account, name)
  if (known !== undefined) {
    if (described) throw unusableCase(name, existingCase(known), LEAVE_OUT_DETAILS)
    if (!known.active) throw unusableCase(name, 'its legal hold has ended', NEW_NAME)
    if (known.sessionId !== undefined || ![undefined, whiteboard].includes(known.whiteboardId))
      throw unusableCase(name, 'its legal hold covers only a part of this export', NEW_NAME)
    return factsOf(known)
  }
  if (reason === undefined || askedBy === undefined)
    throw unusableCase(name, 'the case is new and --reason or --asked-by is missing', ADD_DETAILS)
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

function existingCase({ reason, ends }: Hold): string {
  const until = ends === undefined ? 'until it is released' : `until just before ${ends}`
  return `the case exists already, held ${until}, with the reason: ${reason}`
}

function withoutCase(): ConfigurationError {
  return new ConfigurationError('case_missing', {
    tried: 'Reading the legal case of an export',
    came: '--reason, --asked-by or --until was given without --case',
    todo: 'add --case NAME',
  })
}

function unusableCase(name: string, came: string, todo: string): ConfigurationError {
  return new ConfigurationError('case_unusable', {
    tried: `Exporting for the case ${name}`,
    came,
    todo: `${todo}; callsheet archive hold list shows all holds`,
  })
}

const LEAVE_OUT_DETAILS = 'leave out --reason, --asked-by and --until'
const NEW_NAME = 'choose another name for --case'
const ADD_DETAILS = 'add --reason TEXT and --asked-by NAME'
