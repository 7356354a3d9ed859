import { sha256Hex } from '../../src/evidence/digest.ts'
import type { SigningKey } from '../../src/evidence/signing-key.ts'
import { ACCOUNT, FILLED, newKey } from '../helpers/evidence-stage.ts'
import type { Members } from '../helpers/rewrite-zip.ts'
import { edit, signAnew, signSums } from './sign-anew.ts'

const FILE = sha256Hex('file of s-1 a-1')
export type Change = (
  members: Members,
  others: { older: Members; others: Members; key: SigningKey },
) => void
const lines = (change: (all: string[]) => string[]) => (text: string) =>
  change(text.trimEnd().split('\n')).join('\n') + '\n'

/** What is done to the members, and all findings that must come of it. */
export type TamperedBundle = [string, Change, readonly (readonly [string, string | RegExp])[]]

export const TAMPERED: readonly TamperedBundle[] = [
  ['nothing', () => undefined, []],
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
    'a member of a name that no bundle has added',
    (all) => void all.set('notes/run-me.sh', Buffer.from('echo')),
    [['member_extra', 'notes/run-me.sh']],
  ],
  [
    'a member of a name that no bundle has added by the holder of the key',
    (all, { key }) => {
      all.set('notes/run-me.sh', Buffer.from('echo'))
      signSums(all, key)
    },
    [['member_extra', 'notes/run-me.sh']],
  ],
  [
    'the last lines of the manifest cut off',
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
    'a line dropped from the middle of the manifest',
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
      ['entry_changed', /^manifest.ndjson, line 1, entry 1 /],
      ['file_missing', /^files\/[0-9a-f]{64}, of whiteboard_sessions\//],
      ['member_changed', 'manifest.ndjson'],
      ['proof_wrong', /^manifest.ndjson, line 1, entry 1 /],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line 1$/],
    ],
  ],
  [
    'a record changed, its entry’s content with it',
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
    'the key exchanged',
    (all) => void all.set('key.pem', Buffer.from(newKey().publicKey.pem)),
    [
      ['key_exchanged', 'key.pem'],
      ['signature_wrong', 'SHA256SUMS'],
    ],
  ],
  [
    'the key exchanged and everything signed anew with it',
    (all) => signAnew(all, newKey()),
    [
      ['key_exchanged', 'key.pem'],
      ['rolled_back', /^head [0-9a-f]{64}$/],
    ],
  ],
  [
    'a record changed in another account’s bundle mixed in',
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
    'a head of another bundle mixed in',
    (all, { others }) => {
      for (const name of ['heads/000001.json', 'heads/000001.sig'])
        all.set(name, others.get(name) ?? Buffer.alloc(0))
    },
    [
      ...Array.from({ length: 27 }, () => ['entry_changed', /^manifest.ndjson, line \d+/] as const),
      ['head_chain_broken', 'head 2'],
      ['key_exchanged', 'head 1'],
      ['member_changed', 'heads/000001.json'],
      ['member_changed', 'heads/000001.sig'],
      ['signature_wrong', 'head 1'],
    ],
  ],
  [
    'the newest head taken out',
    (all) => {
      for (const name of ['heads/000002.json', 'heads/000002.sig']) all.delete(name)
    },
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['head_missing', new RegExp(`^manifest.ndjson, line 28, entry ${FILLED + 2} `)],
      ['heads_cut', 'the newest head'],
      ['member_missing', 'heads/000002.json'],
      ['member_missing', 'heads/000002.sig'],
      ['rolled_back', /^head [0-9a-f]{64}$/],
    ],
  ],
  [
    'a bundle of an older state put in its place',
    (all, { older }) => {
      all.clear()
      for (const [name, content] of older) all.set(name, content)
    },
    [['rolled_back', /^head [0-9a-f]{64}$/]],
  ],
  [
    'another account’s bundle put in its place',
    (all, { others }) => {
      all.clear()
      for (const [name, content] of others) all.set(name, content)
    },
    [
      ['key_exchanged', 'key.pem'],
      ['rolled_back', /^head [0-9a-f]{64}$/],
    ],
  ],
  [
    'an account’s name changed in the facts',
    edit('bundle.json', (text) => text.replace(`"${ACCOUNT}"`, '"other"')),
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['key_exchanged', 'checkpoint.vkey'],
      ['member_changed', 'bundle.json'],
      ['other_account', 'head 1'],
      ['other_account', 'head 2'],
      ...Array.from({ length: 28 }, () => ['other_account', /^manifest.ndjson, line/] as const),
    ],
  ],
  [
    'the sums and their signature taken out',
    (all) => void (all.delete('SHA256SUMS'), all.delete('SHA256SUMS.sig')),
    [
      ...Array.from({ length: 27 }, () => ['member_extra', /./] as const),
      ['member_missing', 'SHA256SUMS'],
      ['member_missing', 'SHA256SUMS.sig'],
      ['signature_wrong', 'SHA256SUMS'],
    ],
  ],
]
