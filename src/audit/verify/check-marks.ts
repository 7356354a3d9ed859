import {
  checkpointNote,
  cosignatureNote,
  placeOf,
  placeOfNote,
} from '../../evidence/log/checkpoint.ts'
import { cosignaturesIn, readWitnessKey } from '../../evidence/log/cosignature.ts'
import { type LockedAnchor, readLockedAnchor, wrongLock } from '../../evidence/log/locked-anchor.ts'
import { judgeWitnesses, witnessText } from '../../evidence/log/witness-policy.ts'
import type { CheckpointRow } from '../../evidence/sql/checkpoints.ts'
import type { Mark } from '../../evidence/sql/marks.ts'
import { statementsOf } from '../../evidence/sql/statements.ts'
import { type CheckedStamp, checkStamps } from '../../evidence/stamp/check-stamps.ts'
import type { FileStore, LockedNote } from '../../store/store.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { checkpointOver, readNote } from './check-checkpoints.ts'
import type { Roots } from './check-tree.ts'
import type { Verifying } from './verifying.ts'

/** A lock that the database records and that the store has not confirmed yet. */
export interface StatedLock {
  what: string
  /** The name of the note. */
  name: string
  anchor: LockedAnchor
}

/**
 * Compares third-party marks with the checkpoints: a mark of a checkpoint that no longer exists shows a
 * truncated log. Returns the locks recorded for the right checkpoints. Time stamps are checked later.
 */
export function checkMarks(
  verifying: Verifying,
  newest: CheckpointRow | undefined,
  marks: readonly Mark[],
): StatedLock[] {
  const { findings, checked } = verifying
  const locks: StatedLock[] = []
  for (const mark of marks) {
    const { kind, note } = mark
    const what = whatOf(mark)
    if (note === null)
      findings.add('end_cut', what, { expected: 'this checkpoint', found: 'no such checkpoint' })
    if (kind === 'cosignature') checkCosignature(verifying, mark)
    else if (note !== null && kind === 'stamp') checked.anchors++
    else if (note !== null) {
      const anchor = readLockedAnchor(mark.body.toString())
      const wrong = wrongLock(anchor, note)
      if (wrong !== undefined) findings.add('anchor_wrong', what, wrong)
      else if (anchor !== undefined) locks.push({ what, name: checkpointNote(mark), anchor })
    }
  }
  if (newest !== undefined) judgeNewest(verifying, newest, marks)
  return locks
}

function checkCosignature({ findings, checked }: Verifying, mark: Mark): void {
  const key = readWitnessKey(mark.who)
  checked.cosignatures++
  if (mark.note === null) return
  if (key === undefined || cosignaturesIn(mark.note + mark.body.toString(), [key]).length === 0)
    findings.add('cosignature_wrong', whatOf(mark), {
      expected: `a valid cosignature by the key ${mark.who}`,
    })
}

/** Adds an open question if too few witnesses cosigned the newest checkpoint. */
function judgeNewest(
  { notJudged, witnesses }: Verifying,
  { note, origin, size }: CheckpointRow,
  marks: readonly Mark[],
): void {
  if (witnesses === undefined) return
  const own = marks.filter(
    (one) => one.kind === 'cosignature' && one.origin === origin && one.size === size,
  )
  const judged = judgeWitnesses(note + own.map(({ body }) => body.toString()).join(''), witnesses)
  if (!judged.enough)
    notJudged.push(
      `Whether the witnesses saw the newest checkpoint and no other log: it is cosigned by ` +
        `${witnessText(judged, witnesses.needed)}.`,
    )
}

/** Compares the cosignatures with the store's notes of them. */
export async function checkCosignatureNotes(
  { findings, store }: Verifying,
  {
    rows,
    marks,
    notes,
  }: { rows: readonly CheckpointRow[]; marks: readonly Mark[]; notes: readonly string[] },
): Promise<void> {
  const kept = new Set(notes)
  const known = new Set<string>()
  const newest = rows.at(-1)
  for (const mark of marks) {
    if (mark.kind !== 'cosignature') continue
    const name = cosignatureNote(mark, readWitnessKey(mark.who)?.keyId ?? '')
    const what = `the store's note of ${whatOf(mark)}`
    known.add(name)
    if (!kept.has(name)) {
      // An active run may have stored the note of the newest checkpoint after the notes were listed.
      if (mark.size < (newest?.size ?? 0)) findings.add('note_missing', what)
      continue
    }
    const { note, fault } = await readNote(store, name)
    const line = mark.body.toString()
    if (fault !== undefined) findings.add('note_unreadable', what, { found: fault })
    else if (note !== line)
      findings.add('note_differs', what, { expected: line.trim(), found: note?.trim() ?? '' })
  }
  const older = new Set(rows.slice(0, -1).map((row) => placeOf(row).join()))
  for (const name of notes) {
    const [, of = ''] = /^(.+)\.cosignature-[0-9a-f]{8}$/.exec(name) ?? []
    const place = placeOfNote(of)
    if (place !== undefined && older.has(place.join()) && !known.has(name))
      findings.add(
        'cosignature_missing',
        `a cosignature for ${checkpointOver({ size: place.at(-1) ?? 0 })}`,
        {
          expected: `the cosignature in the store's note ${name}`,
        },
      )
  }
}

function whatOf({ kind, who, size }: Mark): string {
  const of = checkpointOver({ size })
  return kind === 'cosignature'
    ? `the cosignature of ${who.split('+', 1)[0]} for ${of}`
    : `the anchor of ${of} (${who})`
}

/** The time stamps with their notes and the entries that state them. */
export async function stampsIn(
  tx: Transaction,
  { account, unexplained }: Verifying,
  { marks, roots }: { marks: readonly Mark[]; roots: Roots },
): Promise<CheckedStamp[]> {
  const stated = new Map<string, number>()
  // A stamp that differs from its statement is reported as a separate finding.
  for await (const { subject, seq } of statementsOf(tx, account, STAMPS))
    if (!unexplained.has(seq)) stated.set(subject, seq)
  return marks.flatMap(({ kind, size, body: token, chain, note }): CheckedStamp[] => {
    if (kind !== 'stamp' || note === null) return []
    const saidMs = Date.parse(roots.get(size)?.said ?? '')
    return [
      {
        size,
        token,
        chain,
        note: Buffer.from(note),
        saidMs: Number.isNaN(saidMs) ? undefined : saidMs,
        stated: stated.get(`${STAMPS}/${size}`),
      },
    ]
  })
}

/** Checks the time stamps; needs no database. */
export async function checkAllStamps(
  { findings, notJudged, stampTrust }: Verifying,
  stamps: readonly CheckedStamp[],
): Promise<void> {
  notJudged.push(...(await checkStamps(stamps, stampTrust ?? { roots: [] }, findings)))
}

/** Checks that the store has the locks that the database records. */
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
      `Whether ${place} still locks checkpoints: the configured store is another one or has another address.`,
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
  // A bucket with the same name at another endpoint may be a different bucket.
  return address.endpoint === anchor.endpoint || lasts(found, anchor) ? found : 'elsewhere'
}

function lasts(found: LockedNote | undefined, { lockedUntil }: LockedAnchor): boolean {
  return (found?.lockedUntilMs ?? 0) >= Date.parse(lockedUntil)
}

function lockText({ lockedUntilMs }: LockedNote): string {
  if (lockedUntilMs === undefined) return 'no lock that binds its owner'
  return `locked until ${new Date(lockedUntilMs).toISOString()}`
}

const STAMPS = 'ledger/stamps'
