import {
  type Checkpoint,
  readCheckpoint,
  signCheckpoint,
} from '../../src/evidence/tlog/checkpoint.ts'
import { newKey } from '../helpers/evidence-stage.ts'
import type { Members } from '../helpers/rewrite-zip.ts'
import { edit, signSums } from './sign-anew.ts'
import type { Change, TamperedBundle } from './tampered-bundle.ts'

const OTHER_ROOT = Buffer.alloc(32, 7)
const ENTRY = /^manifest.ndjson, line \d+, entry \d+ /

/** As whoever holds the key would: the sums fit whatever was done. */
const signed =
  (change: (all: Members) => void): Change =>
  (all, { key }) => {
    change(all)
    signSums(all, key)
  }

const anew =
  (more: Partial<Checkpoint>): Change =>
  (all, { key }) => {
    const { origin = '', size = 0, root = OTHER_ROOT } = readCheckpoint(textOf(all)) ?? {}
    all.set('checkpoint', Buffer.from(signCheckpoint(key, { origin, size, root, ...more })))
    signSums(all, key)
  }

/** What is done to the checkpoint and the proofs under it, and all findings that must come of it. */
export const TAMPERED_LOG: readonly TamperedBundle[] = [
  [
    'the root in the checkpoint changed',
    edit('checkpoint', (text) => text.replace(/^.{44}$/m, OTHER_ROOT.toString('base64'))),
    [
      ['member_changed', 'checkpoint'],
      ...Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
      ['signature_wrong', 'checkpoint'],
    ],
  ],
  [
    'the checkpoint taken out',
    (all) => void all.delete('checkpoint'),
    [['member_missing', 'checkpoint']],
  ],
  [
    'what is no checkpoint put in its place by whoever holds the key',
    signed((all) => void all.set('checkpoint', Buffer.from('callsheet/main\n28\n'))),
    [['checkpoint_unreadable', 'checkpoint']],
  ],
  [
    'a checkpoint of another root signed with the very key',
    anew({ root: OTHER_ROOT }),
    Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
  ],
  [
    'a checkpoint of another log signed with the very key',
    anew({ origin: 'callsheet/mein' }),
    [['checkpoint_wrong', 'checkpoint']],
  ],
  [
    'the checkpoint of an older state put in its place by whoever holds the key',
    (all, others) => {
      signed(() => void all.set('checkpoint', Buffer.from(textOf(others.older))))(all, others)
    },
    [
      ['checkpoint_wrong', 'checkpoint'],
      ...Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
    ],
  ],
  [
    'the key for other verifiers exchanged',
    signed(edit('checkpoint.vkey', (text) => text.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))),
    [['key_exchanged', 'checkpoint.vkey']],
  ],
  [
    'a hash in a proof exchanged by whoever holds the key',
    signed(
      edit('manifest.ndjson', (text) => text.replace(/("tlog_proof":\[")[^"]+/, `$1${EMPTY}`)),
    ),
    [['proof_wrong', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'a proof taken out by whoever holds the key',
    signed(edit('manifest.ndjson', (text) => text.replace(/"tlog_proof":\[[^\]]+\],/, ''))),
    [['proof_missing', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'a proof of what are no hashes put in by whoever holds the key',
    signed(edit('manifest.ndjson', (text) => text.replace(/("tlog_proof":\[")[^"]+/, '$1x'))),
    [
      ['entry_changed', 'manifest.ndjson, line 1'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line 1$/],
    ],
  ],
  [
    'checkpoint and proofs taken out by whoever holds the key, as in a bundle of before',
    signed((all) => {
      for (const name of ['checkpoint', 'checkpoint.vkey']) all.delete(name)
      edit('manifest.ndjson', (text) => text.replace(/"tlog_proof":\[[^\]]+\],/g, ''))(all)
    }),
    [],
  ],
  [
    'a checkpoint of another key put in',
    (all) => void all.set('checkpoint', Buffer.from(otherKeys(textOf(all)))),
    [
      ['member_changed', 'checkpoint'],
      ['signature_wrong', 'checkpoint'],
    ],
  ],
]

function otherKeys(text: string): string {
  const read = readCheckpoint(text)
  return read === undefined ? '' : signCheckpoint(newKey(), read)
}

function textOf(all: Members): string {
  return all.get('checkpoint')?.toString() ?? ''
}

const EMPTY = Buffer.alloc(32).toString('base64')
