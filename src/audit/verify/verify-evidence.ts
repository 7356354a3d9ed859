import { readCheckpoint, readState, stateOfNote } from '../../evidence/log/checkpoint.ts'
import { Findings } from '../../evidence/log/finding.ts'
import { verifierKey } from '../../evidence/log/note.ts'
import { readPublicKey } from '../../evidence/log/signing-key.ts'
import { type CheckpointRow, readCheckpoints } from '../../evidence/sql/checkpoints.ts'
import { readMarks } from '../../evidence/sql/marks.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { knownBreak } from '../proof/bundle-log.ts'
import { checkChain } from './check-chain.ts'
import { checkCheckpointNotes, checkCheckpoints } from './check-checkpoints.ts'
import { checkErasureNotes } from './check-erasure-notes.ts'
import { checkLedger } from './check-files.ts'
import { checkLake } from './check-lake.ts'
import { checkLedgers } from './check-ledgers.ts'
import {
  checkAllStamps,
  checkCosignatureNotes,
  checkLocks,
  checkMarks,
  stampsIn,
} from './check-marks.ts'
import { checkRecords } from './check-records.ts'
import { checkRows } from './check-rows.ts'
import { checkStore } from './check-store.ts'
import { type Roots, TreeCheck } from './check-tree.ts'
import { checkUnexplained } from './check-unexplained.ts'
import type { VerifiedEvidence, Verifying, VerifyOptions } from './verifying.ts'

/**
 * Checks all evidence of an account: entries, checkpoints, signatures, the store's files and notes, and the
 * warehouse's records. Records which files the store has lost, writes nothing else and needs no lease. Reads
 * entries, marks, records and ledgers in one snapshot.
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
    unexplained: new Set(),
  }
  const { account } = options
  // Listed before the snapshot: the note of a later checkpoint would make the log look truncated.
  const notes = await options.store.listNotes()
  const { rows, roots, marks, locks, stamps } = await warehouse.transaction(
    async (tx) => {
      const checkpoints = await readCheckpoints(tx, account)
      const newest = checkpoints.at(-1)
      verifying.unexplained = await checkUnexplained(tx, verifying, checkpoints)
      const tree = new TreeCheck(tx, verifying, checkpoints)
      await checkChain(tx, verifying, { signed: newest?.size ?? 0, tree })
      const found = await tree.end()
      checkCheckpoints(verifying, { rows: checkpoints, roots: found })
      const said = await readMarks(tx, account)
      const told = checkMarks(verifying, newest, said)
      await checkLedger(tx, verifying, newest?.at)
      for (const stream of options.streams)
        if (stream.audited === true) await checkRecords(tx, verifying, stream)
      await checkLedgers(tx, verifying)
      await checkRows(tx, verifying, options.streams)
      const stamped = await stampsIn(tx, verifying, { marks: said, roots: found })
      return { rows: checkpoints, roots: found, marks: said, locks: told, stamps: stamped }
    },
    { snapshot: true, once: true },
  )
  const newest = rows.at(-1)
  verifying.notJudged.push(...knownBreak(account, newest?.note))
  await checkAllStamps(verifying, stamps)
  await checkCheckpointNotes(verifying, rows, notes)
  await checkCosignatureNotes(verifying, { rows, marks, notes })
  await checkLocks(verifying, locks)
  await checkErasureNotes(verifying)
  await checkStore(verifying)
  await checkLake(verifying)
  judgePins(verifying, newest, roots)
  return {
    account,
    findings: verifying.findings.kept,
    findingCount: verifying.findings.total,
    notJudged: verifying.notJudged,
    signed: newest && { at: newest.at, key: readPublicKey(newest.key)?.fingerprint ?? '(none)' },
    checkpoint: newest && stateOfNote(newest.note),
    log: newest && logOf(newest),
    checked: verifying.checked,
  }
}

function logOf({ note, key: der }: CheckpointRow): string | undefined {
  const key = readPublicKey(der)
  const state = readCheckpoint(note)
  return key && state && verifierKey(state.origin, key)
}

/** Compares the log with the checkpoint and key that a person saved; adds a question for those not given. */
function judgePins(verifying: Verifying, newest: CheckpointRow | undefined, roots: Roots): void {
  const { checkpoint, keys, keyPinned, findings, notJudged, store } = verifying
  const noted = readState(checkpoint ?? '')
  const ours = newest && stateOfNote(newest.note)
  if (checkpoint === undefined)
    notJudged.push(
      `Whether the database and ${store.place} were both reset to an older checkpoint: ` +
        'pass the newest checkpoint that you saved (--checkpoint SIZE:ROOT).',
    )
  else if (noted === undefined || roots.get(noted.size)?.root.equals(noted.root) !== true)
    findings.add('rolled_back', `the checkpoint ${checkpoint}`, {
      expected: 'a state of this log',
      found:
        ours === undefined
          ? 'no checkpoint'
          : `the log has no such state; the newest state is ${ours}`,
    })
  const signer = newest && readPublicKey(newest.key)?.fingerprint
  if (signer !== undefined && keys.length > 0 && signer !== keys[0] && checkpoint !== ours)
    notJudged.push(
      `Whether a holder of the earlier key ${signer} forged the newest checkpoint later: pass the ` +
        'newest checkpoint that you saved (--checkpoint SIZE:ROOT).',
    )
  if (keyPinned) return
  notJudged.push(
    keys.length === 0
      ? 'Whether the key was replaced: this machine has no key to compare with. ' +
          'Pass its fingerprint (--key FINGERPRINT).'
      : "Whether this machine's own key was replaced: " +
          'pass the fingerprint that you saved (--key FINGERPRINT).',
  )
}

const NOTHING_CHECKED: Verifying['checked'] = {
  entries: 0,
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
  lakeFiles: 0,
}
