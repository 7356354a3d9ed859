import { headNote } from '../../evidence/log/head.ts'
import type { CheckedHead } from '../../evidence/log/head-chain.ts'
import { type LockedAnchor, readLockedAnchor, wrongLock } from '../../evidence/log/locked-anchor.ts'
import type { AnchorRow } from '../../evidence/sql/heads.ts'
import { checkStamps } from '../../evidence/stamp/check-stamps.ts'
import { stampOf } from '../../evidence/stamps-of.ts'
import type { FileStore, LockedNote } from '../../store/store.ts'
import type { Verifying } from './verifying.ts'

/** A lock that the database states and that the store has not confirmed yet. */
export interface StatedLock {
  what: string
  number: number
  anchor: LockedAnchor
}

/**
 * Compares the anchors with the heads: a stamp of a head that no longer exists shows a cut. Returns the locks
 * that are stated for the right heads.
 */
export function checkAnchors(
  { findings, checked }: Verifying,
  heads: readonly CheckedHead[],
  anchors: readonly AnchorRow[],
): StatedLock[] {
  const byNumber = new Map(heads.map((head) => [head.number, head]))
  const locks: StatedLock[] = []
  for (const { number, kind, place, token } of anchors) {
    const head = byNumber.get(number)
    const what = `the anchor of head ${number} (${place})`
    const said = token ?? Buffer.alloc(0)
    if (kind === 'renewal') checked.anchors++
    else if (head === undefined)
      findings.add('end_cut', what, { expected: `head ${number}`, found: 'no such head' })
    else if (kind === 'rfc3161') checked.anchors++
    else {
      const anchor = readLockedAnchor(said.toString())
      const wrong = wrongLock(anchor, head)
      if (wrong !== undefined) findings.add('anchor_wrong', what, wrong)
      else if (anchor !== undefined) locks.push({ what, number, anchor })
    }
  }
  return locks
}

/** Checks the time stamps and their renewals, which needs no database. */
export async function checkHeadStamps(
  { findings, notJudged, stampTrust }: Verifying,
  heads: readonly CheckedHead[],
  anchors: readonly AnchorRow[],
): Promise<void> {
  const byNumber = new Map(heads.map((head) => [head.number, head]))
  const stamps = anchors.flatMap((row) => stampOf(row, byNumber.get(row.number)) ?? [])
  notJudged.push(...(await checkStamps(stamps, stampTrust ?? { roots: [] }, findings)))
}

/** Asks the store whether it locks what the database states. */
export async function checkLocks(
  { findings, checked, store, notJudged, signal }: Verifying,
  locks: readonly StatedLock[],
): Promise<void> {
  const elsewhere = new Set<string>()
  for (const { what, number, anchor } of locks) {
    signal.throwIfAborted()
    const { object, version, lockedUntil } = anchor
    const name = headNote(number, 'json')
    const found = await foundLock(store, name, anchor)
    if (found === 'elsewhere') {
      elsewhere.add(object.slice(0, -name.length))
      continue
    }
    checked.anchors++
    if (!lasts(found, anchor))
      findings.add('anchor_wrong', what, {
        expected: `${version === null ? '' : `version ${version}, `}locked until ${lockedUntil}`,
        found: found === undefined ? 'no such object' : lockText(found),
      })
  }
  for (const place of elsewhere)
    notJudged.push(
      `Whether ${place} still locks heads: this store is another one, or asked at another address.`,
    )
}

async function foundLock(
  store: FileStore,
  name: string,
  anchor: LockedAnchor,
): Promise<LockedNote | undefined | 'elsewhere'> {
  const address = store.noteAddress?.(name)
  if (address?.object !== anchor.object) return 'elsewhere'
  const found = await store.lockedNote?.(name, anchor.version ?? undefined)
  // A bucket of the same name at another address may be a different one.
  return address.endpoint === anchor.endpoint || lasts(found, anchor) ? found : 'elsewhere'
}

function lasts(found: LockedNote | undefined, { lockedUntil }: LockedAnchor): boolean {
  return (found?.lockedUntilMs ?? 0) >= Date.parse(lockedUntil)
}

function lockText({ lockedUntilMs }: LockedNote): string {
  if (lockedUntilMs === undefined) return 'no lock that holds against its owner'
  return `locked until ${new Date(lockedUntilMs).toISOString()}`
}
