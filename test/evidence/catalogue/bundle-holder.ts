import {
  type Checkpoint,
  readCheckpoint,
  signCheckpoint,
} from '../../../src/evidence/log/checkpoint.ts'
import type { Members } from '../../helpers/rewrite-zip.ts'
import { edit, signSums } from '../sign-anew.ts'
import type { BundleTamper } from './tamper.ts'

const OTHER_ROOT = Buffer.alloc(32, 7)
const PINNED = /^the checkpoint \d+:/
const ENTRY = /^manifest.ndjson, line \d+, entry \d+ /
type Change = BundleTamper[1]

/** Makes a change and signs the sums anew, as a key holder can. */
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

/** Changes that a key holder can make to a bundle without signing its log anew. */
export const HOLDER_BUNDLE: readonly BundleTamper[] = [
  [
    'a file replaced',
    signed((all) => {
      const name = [...all.keys()].find((one) => one.startsWith('files/')) ?? ''
      edit(name, (text) => text.replace('file', 'fake'))(all)
    }),
    [['file_changed', /^files\/[0-9a-f]{64}, of /]],
  ],
  [
    'a file omitted',
    signed((all) => {
      all.delete([...all.keys()].find((one) => one.startsWith('files/')) ?? '')
    }),
    [
      ['count_wrong', 'files'],
      ['file_missing', /^files\/[0-9a-f]{64}, of whiteboard_activities\//],
      ['index_wrong', /^files.ndjson, line \d+$/],
    ],
  ],
  [
    'a record changed',
    signed(edit('records/whiteboard_sessions.ndjson', (text) => text.replace('Plans', 'Plots'))),
    [
      ['record_missing', /^the record whiteboard_sessions\//],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line \d+$/],
    ],
  ],
  [
    'a line of the manifest changed, with its content',
    signed(edit('manifest.ndjson', (text) => text.replace('"size":1024', '"size":2048'))),
    [['proof_wrong', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'an older checkpoint added that the log never had',
    signed(edit('older.ndjson', (text) => text.replace(/:[^"]{44}/, `:${EMPTY}`))),
    [['proof_wrong', 'older.ndjson, line 1']],
  ],
  [
    'a member with an unknown name added',
    (all, { key }) => {
      all.set('notes/run-me.sh', Buffer.from('echo'))
      signSums(all, key)
    },
    [['member_extra', 'notes/run-me.sh']],
  ],
  [
    'text in place of a checkpoint',
    signed((all) => void all.set('checkpoint', Buffer.from('callsheet/main\n28\n'))),
    [['checkpoint_unreadable', 'checkpoint']],
  ],
  [
    'a checkpoint with another root',
    anew({ root: OTHER_ROOT }),
    [
      ['checkpoint_wrong', 'checkpoint'],
      ...Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
      ['proof_wrong', 'older.ndjson, line 1'],
      ['rolled_back', PINNED],
    ],
  ],
  [
    'a checkpoint of another log',
    anew({ origin: 'callsheet/mein' }),
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['key_exchanged', 'checkpoint.vkey'],
    ],
  ],
  [
    'replaced by an older checkpoint',
    (all, others) => {
      signed(() => void all.set('checkpoint', Buffer.from(textOf(others.older))))(all, others)
    },
    [
      ['checkpoint_wrong', 'checkpoint'],
      ...Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
      ['proof_wrong', 'older.ndjson, line 1'],
      ['rolled_back', PINNED],
    ],
  ],
  [
    'the key for other verifiers replaced',
    signed(edit('checkpoint.vkey', (text) => text.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))),
    [['key_exchanged', 'checkpoint.vkey']],
  ],
  [
    'a hash in a proof replaced',
    signed(edit('manifest.ndjson', (text) => text.replace(/("path":\[")[^"]+/, `$1${EMPTY}`))),
    [['proof_wrong', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'a proof removed',
    signed(edit('manifest.ndjson', (text) => text.replace(/,"path":\[[^\]]+\]/, ''))),
    [['proof_missing', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'a proof without hashes added',
    signed(edit('manifest.ndjson', (text) => text.replace(/("path":\[")[^"]+/, '$1x'))),
    [
      ['entry_changed', 'manifest.ndjson, line 1'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line 1$/],
    ],
  ],
  [
    'the activity of a file replaced in the index',
    signed(edit('files.ndjson', (text) => text.replace('"a-1"', '"a-9"'))),
    [['index_wrong', /^files.ndjson, line \d+$/]],
  ],
  [
    'the subject of an entry replaced',
    signed(
      edit('manifest.ndjson', (text) =>
        text.replace(/("subject":"[^"]+)[^"](","subject_salt")/, '$1~$2'),
      ),
    ),
    [['subject_wrong', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'the subject of an entry omitted',
    signed(
      edit('manifest.ndjson', (text) =>
        text.replace(/"subject":"[^"]+","subject_salt":"[0-9a-f]+",/, ''),
      ),
    ),
    [['subject_wrong', /^manifest.ndjson, line 1, entry 1 /]],
  ],
  [
    'an entry with an invalid part of a subject',
    signed(
      edit('manifest.ndjson', (text) =>
        text.replace(/"subject":"[^"]+(","subject_salt")/, '"subject":"whiteboard_sessions/%$1'),
      ),
    ),
    [['subject_wrong', /^manifest.ndjson, line 1, entry 1 /]],
  ],
]

function textOf(all: Members): string {
  return all.get('checkpoint')?.toString() ?? ''
}

const EMPTY = Buffer.alloc(32).toString('base64')
