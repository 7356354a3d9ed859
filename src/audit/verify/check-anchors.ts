import { checkpointNote, readCheckpoint } from '../../evidence/log/checkpoint.ts'
import { readEntry } from '../../evidence/log/entry.ts'
import { type LockedAnchor, readLockedAnchor, wrongLock } from '../../evidence/log/locked-anchor.ts'
import type { AnchorRow, HeadRow } from '../../evidence/sql/heads.ts'
import { linesAt } from '../../evidence/sql/manifest.ts'
import { statementsOf } from '../../evidence/sql/statements.ts'
import { type CheckedStamp, checkStamps } from '../../evidence/stamp/check-stamps.ts'
import type { FileStore, LockedNote } from '../../store/store.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Verifying } from './verifying.ts'

/** A lock that the database states and that the store has not confirmed yet. */
export interface StatedLock {
  what: string
  /** Of the note. */
  name: string
  anchor: LockedAnchor
}

/**
 * Compares the anchors with the checkpoints: a stamp of one that no longer exists shows a cut. Returns the
 * locks that are stated for the right ones.
 */
export function checkAnchors(
  { findings, checked }: Verifying,
  rows: readonly HeadRow[],
  anchors: readonly AnchorRow[],
): StatedLock[] {
  const bySize = new Map(rows.map((row) => [row.last_seq, row]))
  const locks: StatedLock[] = []
  for (const { size, kind, place, token } of anchors) {
    const { checkpoint = null } = bySize.get(size) ?? {}
    const what = `the anchor of the checkpoint over ${size} entries (${place})`
    if (checkpoint === null)
      findings.add('end_cut', what, { expected: 'that checkpoint', found: 'no such checkpoint' })
    else if (kind === 'rfc3161') checked.anchors++
    else {
      const anchor = readLockedAnchor((token ?? Buffer.alloc(0)).toString())
      const wrong = wrongLock(anchor, checkpoint)
      const state = readCheckpoint(checkpoint)
      if (wrong !== undefined) findings.add('anchor_wrong', what, wrong)
      else if (anchor !== undefined && state !== undefined)
        locks.push({ what, name: checkpointNote(state), anchor })
    }
  }
  return locks
}

/** The time stamps with what they are of, and the entries that state them. */
export async function stampsIn(
  tx: Transaction,
  { account, unexplained }: Verifying,
  { rows, anchors }: { rows: readonly HeadRow[]; anchors: readonly AnchorRow[] },
): Promise<CheckedStamp[]> {
  const notes = new Map(rows.map(({ last_seq: size, checkpoint }) => [size, checkpoint]))
  const stated = new Map<string, number>()
  // What no longer is as it was stated is a finding of its own.
  for await (const { subject, seq } of statementsOf(tx, account, STAMPS))
    if (!unexplained.has(seq)) stated.set(subject, seq)
  const times = await timesAt(
    tx,
    account,
    anchors.map(({ size }) => size),
  )
  const stamps: CheckedStamp[] = []
  for (const { size, kind, token, chain } of anchors) {
    const note = notes.get(size) ?? null
    if (kind !== 'rfc3161' || note === null) continue
    const kept = { size, token: token ?? Buffer.alloc(0), chain, note: Buffer.from(note) }
    stamps.push({ ...kept, saidMs: times.get(size), stated: stated.get(`${STAMPS}/${size}`) })
  }
  return stamps
}

/** By number, the times that entries tell. */
async function timesAt(
  tx: Transaction,
  account: string,
  seqs: readonly number[],
): Promise<Map<number, number>> {
  const lines = await linesAt(tx, account, seqs)
  const times = lines.map(({ seq, line }) => [seq, Date.parse(readEntry(line)?.at ?? '')] as const)
  return new Map(times.filter(([, atMs]) => !Number.isNaN(atMs)))
}

/** Checks the time stamps, which needs no database. */
export async function checkAllStamps(
  { findings, notJudged, stampTrust }: Verifying,
  stamps: readonly CheckedStamp[],
): Promise<void> {
  notJudged.push(...(await checkStamps(stamps, stampTrust ?? { roots: [] }, findings)))
}

/** Asks the store whether it locks what the database states. */
export async function checkLocks(
  { findings, checked, store, notJudged, signal }: Verifying,
  locks: readonly StatedLock[],
): Promise<void> {
  const elsewhere = new Set<string>()
  for (const { what, name, anchor } of locks) {
    signal.throwIfAborted()
    const { object, version, lockedUntil } = anchor
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
      `Whether ${place} still locks checkpoints: this store is another one, or asked at another address.`,
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

const STAMPS = 'ledger/stamps'
