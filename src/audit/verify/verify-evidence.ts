import { readCheckpoint, readState, stateText } from '../../evidence/log/checkpoint.ts'
import { Findings } from '../../evidence/log/finding.ts'
import { type CheckedHead, unjudgedKey } from '../../evidence/log/head-chain.ts'
import { verifierKey } from '../../evidence/log/note.ts'
import { readPublicKey } from '../../evidence/log/signing-key.ts'
import { readCosignatures } from '../../evidence/sql/cosignatures.ts'
import { readBreaks } from '../../evidence/sql/head-breaks.ts'
import { type HeadRow, readAnchors, readHeads } from '../../evidence/sql/heads.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { checkAllStamps, checkAnchors, checkLocks, stampsIn } from './check-anchors.ts'
import { checkChain } from './check-chain.ts'
import { checkCheckpointNotes, checkCheckpoints } from './check-checkpoints.ts'
import { checkCosignatureNotes, checkCosignatures } from './check-cosignatures.ts'
import { checkErasureNotes } from './check-erasure-notes.ts'
import { checkLedger } from './check-files.ts'
import { checkHeads, checkNotes } from './check-heads.ts'
import { checkLedgers } from './check-ledgers.ts'
import { checkRecords } from './check-records.ts'
import { checkRows } from './check-rows.ts'
import { checkStore } from './check-store.ts'
import { checkSubjects } from './check-subjects.ts'
import { type Roots, TreeCheck } from './check-tree.ts'
import { checkUnexplained } from './check-unexplained.ts'
import type { VerifiedEvidence, Verifying, VerifyOptions } from './verifying.ts'

/**
 * Checks all evidence of an account: entries, heads, signatures, the store's files and notes, and the records
 * of the warehouse. It notes which files the store has lost, writes nothing else and needs no lease. All
 * reads of the database use one snapshot.
 */
export async function verifyEvidence(
  { warehouse }: { warehouse: Pick<Warehouse, 'transaction' | 'db'> },
  options: VerifyOptions,
): Promise<VerifiedEvidence> {
  const verifying: Verifying = {
    ...options,
    warehouse,
    findings: new Findings(),
    notJudged: [],
    checked: { ...NOTHING_CHECKED },
    breaks: [],
    unexplained: new Set(),
  }
  // Before the snapshot: a head signed in between would look cut off.
  const notes = await options.store.listNotes()
  const { rows, heads, roots, locks, stamps, cosigned } = await warehouse.transaction(
    async (tx) => {
      const headRows = await readHeads(tx, options.account)
      const checkedHeads = checkHeads(verifying, headRows, await readBreaks(tx, options.account))
      verifying.unexplained = await checkUnexplained(tx, verifying, headRows)
      const anchorRows = await readAnchors(tx, options.account)
      const told = checkAnchors(verifying, headRows, anchorRows)
      const whole = new TreeCheck(tx, verifying, headRows)
      await checkChain(tx, verifying, { heads: checkedHeads, whole })
      await checkSubjects(tx, verifying)
      const found = await whole.end()
      checkCheckpoints(verifying, { rows: headRows, roots: found })
      const said = await readCosignatures(tx, options.account)
      checkCosignatures(verifying, headRows, said)
      await checkLedger(tx, verifying, checkedHeads.at(-1)?.at)
      for (const stream of options.streams)
        if (stream.audited === true) await checkRecords(tx, verifying, stream)
      await checkLedgers(tx, verifying)
      await checkRows(tx, verifying, options.streams)
      const stamped = await stampsIn(tx, verifying, { rows: headRows, anchors: anchorRows })
      const own = { rows: headRows, heads: checkedHeads, roots: found }
      return { ...own, locks: told, stamps: stamped, cosigned: said }
    },
    { snapshot: true, once: true },
  )
  await checkAllStamps(verifying, stamps)
  await checkNotes(verifying, heads, notes)
  await checkCheckpointNotes(verifying, rows, notes)
  await checkCosignatureNotes(verifying, { rows, cosigned, notes })
  await checkLocks(verifying, locks)
  await checkErasureNotes(verifying)
  await checkStore(verifying)
  judgePins(verifying, heads, { roots, newest: stateOf(rows) })
  const last = heads.at(-1)
  return {
    account: options.account,
    findings: verifying.findings.kept,
    findingCount: verifying.findings.total,
    notJudged: verifying.notJudged,
    head: last && { number: last.number, hash: last.hash, at: last.at, key: last.key },
    checkpoint: stateOf(rows),
    log: logOf(rows.at(-1)),
    checked: verifying.checked,
  }
}

function logOf(newest: HeadRow | undefined): string | undefined {
  const { checkpoint, public_key: der } = newest ?? { checkpoint: null, public_key: '' }
  const key = readPublicKey(der)
  const state = readCheckpoint(checkpoint ?? '')
  return key && state && verifierKey(state.origin, key)
}

function stateOf(rows: readonly HeadRow[]): string | undefined {
  const newest = rows.findLast(({ checkpoint }) => checkpoint !== null)
  const state = readCheckpoint(newest?.checkpoint ?? '')
  return state && stateText(state)
}

/** Compares with the values noted elsewhere, and reports what cannot be known without them. */
function judgePins(
  verifying: Verifying,
  heads: readonly CheckedHead[],
  { roots, newest }: { roots: Roots; newest: string | undefined },
): void {
  const { checkpoint, keys, keyPinned, findings, notJudged, store } = verifying
  const noted = readState(checkpoint ?? '')
  if (checkpoint === undefined)
    notJudged.push(
      `Whether database and ${store.place} were both set back to an older checkpoint: ` +
        'name one that you noted, --checkpoint SIZE:ROOT.',
    )
  else if (noted === undefined || roots.get(noted.size)?.equals(noted.root) !== true)
    findings.add('rolled_back', `the checkpoint ${checkpoint}`, {
      expected: 'that the log went through it',
      found: `the newest is ${newest ?? 'none'}`,
    })
  notJudged.push(...unjudgedKey(heads, { keys, pinned: checkpoint === newest }))
  if (keyPinned) return
  notJudged.push(
    keys.length === 0
      ? 'Whether the key was exchanged: this machine has none to compare with; ' +
          'name its fingerprint, --key FINGERPRINT.'
      : "Whether this machine's own key was exchanged: " +
          'name the fingerprint that you noted, --key FINGERPRINT.',
  )
}

const NOTHING_CHECKED: Verifying['checked'] = {
  entries: 0,
  heads: 0,
  checkpoints: 0,
  records: 0,
  rows: 0,
  stated: 0,
  files: 0,
  bytes: 0,
  kept: 0,
  erased: 0,
  anchors: 0,
  cosignatures: 0,
}
