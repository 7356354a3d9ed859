import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { edit } from '../sign-anew.ts'
import type { BundleTamper } from './tamper.ts'

const FILE = sha256Hex('file of s-1 a-1')
const lines = (change: (all: string[]) => string[]) => (text: string) =>
  change(text.trimEnd().split('\n')).join('\n') + '\n'

/** Changes to a bundle's records, files and entries by somebody who passes it on without the key. */
export const BEARER_MEMBERS: readonly BundleTamper[] = [
  [
    'one byte of a file flipped',
    edit(`files/${FILE}`, (text) => text.replace('f', 'g')),
    [
      ['file_changed', `files/${FILE}, of whiteboard_activities/s-1/a-1`],
      ['member_changed', `files/${FILE}`],
    ],
  ],
  [
    'a file deleted',
    (all) => void all.delete(`files/${FILE}`),
    [
      ['count_wrong', 'files'],
      ['file_missing', `files/${FILE}, of whiteboard_activities/s-1/a-1`],
      ['index_wrong', /^files.ndjson, line \d+$/],
      ['member_missing', `files/${FILE}`],
    ],
  ],
  [
    'a file added',
    (all) => void all.set(`files/${sha256Hex('new')}`, Buffer.from('new')),
    [['member_extra', `files/${sha256Hex('new')}`]],
  ],
  [
    'a member with an unknown name added',
    (all) => void all.set('notes/run-me.sh', Buffer.from('echo')),
    [['member_extra', 'notes/run-me.sh']],
  ],
  [
    'the last lines of the manifest removed',
    edit(
      'manifest.ndjson',
      lines((all) => all.slice(0, -1)),
    ),
    [
      ['count_wrong', 'entries'],
      ['member_changed', 'manifest.ndjson'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line \d+$/],
    ],
  ],
  [
    'a line removed from the middle of the manifest',
    edit(
      'manifest.ndjson',
      lines((all) => all.toSpliced(1, 1)),
    ),
    [
      ['count_wrong', 'entries'],
      ['member_changed', 'manifest.ndjson'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line \d+$/],
    ],
  ],
  [
    'two lines of the manifest swapped',
    edit(
      'manifest.ndjson',
      lines(([a = '', b = '', ...rest]) => [b, a, ...rest]),
    ),
    [
      ['entries_swapped', /^manifest.ndjson, line 2, entry 1 /],
      ['member_changed', 'manifest.ndjson'],
    ],
  ],
  [
    'an entry in the manifest changed',
    edit('manifest.ndjson', (text) => text.replace('"kind":"record"', '"kind":"file"')),
    [
      ['file_missing', /^files\/[0-9a-f]{64}, of whiteboard_sessions\//],
      ['member_changed', 'manifest.ndjson'],
      ['proof_wrong', /^manifest.ndjson, line 1, entry 1 /],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line 1$/],
    ],
  ],
  [
    'a record changed, and the content of its entry',
    (all) => {
      const before = all.get('records/whiteboard_sessions.ndjson')?.toString().split('\n')[0] ?? ''
      const after = before.replace('Plans', 'Plots')
      edit('records/whiteboard_sessions.ndjson', (text) => text.replace(before, after))(all)
      edit('manifest.ndjson', (text) => text.replace(sha256Hex(before), sha256Hex(after)))(all)
    },
    [
      ['commitment_wrong', /^manifest.ndjson, line \d+, entry \d+ \(whiteboard_sessions/],
      ['member_changed', 'manifest.ndjson'],
      ['member_changed', 'records/whiteboard_sessions.ndjson'],
    ],
  ],
  [
    'a record deleted',
    edit(
      'records/whiteboard_sessions.ndjson',
      lines((all) => all.slice(1)),
    ),
    [
      ['count_wrong', 'records'],
      ['member_changed', 'records/whiteboard_sessions.ndjson'],
      ['record_missing', /^the record whiteboard_sessions\//],
    ],
  ],
  [
    'a changed record from another account’s bundle',
    (all, { others }) => {
      const name = 'records/whiteboard_activities.ndjson'
      all.set(name, others.get(name) ?? Buffer.alloc(0))
    },
    [
      ['member_changed', 'records/whiteboard_activities.ndjson'],
      ...Array.from({ length: 3 }, () => ['record_missing', /^the record whiteboard_act/] as const),
      ...Array.from(
        { length: 3 },
        () => ['record_without_entry', /^records\/whiteboard_activities.ndjson, line/] as const,
      ),
    ],
  ],
  [
    'a record inserted',
    edit('records/whiteboard_sessions.ndjson', (text) => `${text}{"id":"never"}\n`),
    [['member_changed', 'records/whiteboard_sessions.ndjson']],
  ],
  [
    'a record replaced by another',
    edit('records/whiteboard_sessions.ndjson', (text) => text.replace('"s-1"', '"s-9"')),
    [
      ['member_changed', 'records/whiteboard_sessions.ndjson'],
      ['record_missing', /^the record whiteboard_sessions\//],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line \d+$/],
    ],
  ],
  [
    'two files swapped',
    (all) => {
      const [one, other] = [`files/${FILE}`, `files/${sha256Hex('file of s-1 a-2')}`]
      const [first, second] = [all.get(one), all.get(other)]
      all.set(one, second ?? Buffer.alloc(0)).set(other, first ?? Buffer.alloc(0))
    },
    [
      ['file_changed', `files/${FILE}, of whiteboard_activities/s-1/a-1`],
      ['file_changed', /^files\/\S+, of whiteboard_activities\/s-1\/a-2$/],
      ['member_changed', `files/${FILE}`],
      ['member_changed', `files/${sha256Hex('file of s-1 a-2')}`],
    ],
  ],
  [
    'a file listed as missing in the index',
    edit('files.ndjson', (text) => text.replace('"state":"stored"', '"state":"missing"')),
    [['member_changed', 'files.ndjson']],
  ],
  [
    'a salt in the manifest replaced',
    edit('manifest.ndjson', (text) => text.replace(/("salt":")[0-9a-f]{4}/, '$10000')),
    [
      ['commitment_wrong', /^manifest.ndjson, line 1, entry 1 /],
      ['member_changed', 'manifest.ndjson'],
    ],
  ],
]
