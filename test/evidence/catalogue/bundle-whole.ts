import { readCheckpoint, signCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { ACCOUNT, newKey } from '../../helpers/evidence-stage.ts'
import { edit, signAnew } from '../sign-anew.ts'
import type { BundleTamper } from './tamper.ts'

const OTHER_ROOT = Buffer.alloc(32, 7)
const ENTRY = /^manifest.ndjson, line \d+, entry \d+ /

/** Changes to a bundle's keys, checkpoint, sums and log, or other bundles, by somebody who passes it on. */
export const BEARER_WHOLE: readonly BundleTamper[] = [
  [
    'the key replaced',
    (all) => void all.set('key.pem', Buffer.from(newKey().publicKey.pem)),
    [
      ['key_exchanged', 'key.pem'],
      ['signature_wrong', 'SHA256SUMS'],
    ],
  ],
  [
    'the key replaced, and everything signed again',
    (all) => signAnew(all, newKey()),
    [['key_exchanged', 'key.pem']],
  ],
  [
    'the checkpoint of another bundle',
    (all, { others }) => void all.set('checkpoint', others.get('checkpoint') ?? Buffer.alloc(0)),
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['member_changed', 'checkpoint'],
      ...Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
      ['proof_wrong', 'older.ndjson, line 1'],
      ['rolled_back', /^the checkpoint \d+:/],
      ['signature_wrong', 'checkpoint'],
    ],
  ],
  [
    'the older checkpoints of the log removed',
    (all) => void all.delete('older.ndjson'),
    [['member_missing', 'older.ndjson']],
  ],
  [
    'replaced by an older bundle',
    (all, { older }) => {
      all.clear()
      for (const [name, content] of older) all.set(name, content)
    },
    [['rolled_back', /^the checkpoint \d+:/]],
  ],
  [
    'replaced by another account’s bundle',
    (all, { others }) => {
      all.clear()
      for (const [name, content] of others) all.set(name, content)
    },
    [
      ['key_exchanged', 'key.pem'],
      ['rolled_back', /^the checkpoint \d+:/],
    ],
  ],
  [
    'the account’s name changed in the facts',
    edit('bundle.json', (text) => text.replace(`"${ACCOUNT}"`, '"other"')),
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['member_changed', 'bundle.json'],
      ...Array.from({ length: 28 }, () => ['other_account', /^manifest.ndjson, line/] as const),
    ],
  ],
  [
    'the sums and their signature removed',
    (all) => void (all.delete('SHA256SUMS'), all.delete('SHA256SUMS.sig')),
    [
      ...Array.from({ length: 25 }, () => ['member_extra', /./] as const),
      ['member_missing', 'SHA256SUMS'],
      ['member_missing', 'SHA256SUMS.sig'],
      ['signature_wrong', 'SHA256SUMS'],
    ],
  ],
  [
    'the root in the checkpoint changed',
    edit('checkpoint', (text) => text.replace(/^.{44}$/m, OTHER_ROOT.toString('base64'))),
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['member_changed', 'checkpoint'],
      ...Array.from({ length: 28 }, () => ['proof_wrong', ENTRY] as const),
      ['proof_wrong', 'older.ndjson, line 1'],
      ['rolled_back', /^the checkpoint \d+:/],
      ['signature_wrong', 'checkpoint'],
    ],
  ],
  [
    'the checkpoint removed',
    (all) => void all.delete('checkpoint'),
    [['member_missing', 'checkpoint']],
  ],
  [
    'a checkpoint of another key',
    (all) =>
      void all.set('checkpoint', Buffer.from(otherKeys(all.get('checkpoint')?.toString() ?? ''))),
    [
      ['member_changed', 'checkpoint'],
      ['signature_wrong', 'checkpoint'],
    ],
  ],
  [
    'the page that checks it replaced',
    edit('verify.html', (text) => text.replace('<title>', '<title>All is well. ')),
    [['member_changed', 'verify.html']],
  ],
  [
    'the steps in it changed',
    edit('CHECK.txt', (text) => text.replace('openssl', 'true')),
    [['member_changed', 'CHECK.txt']],
  ],
  [
    'the days in the facts changed',
    edit('bundle.json', (text) => text.replace('2026-07-01', '2026-08-01')),
    [['member_changed', 'bundle.json']],
  ],
  [
    'a slice inserted that no run read',
    edit('slices.ndjson', () => '{"stream":"whiteboard_sessions","slice":"x"}\n'),
    [['member_changed', 'slices.ndjson']],
  ],
  [
    'a member changed, and the sums',
    (all) => {
      edit('README.txt', () => 'nothing')(all)
      edit('SHA256SUMS', (text) => text.replace(/^\S+(?= {2}README)/m, sha256Hex('nothing')))(all)
    },
    [['signature_wrong', 'SHA256SUMS']],
  ],
  [
    'the signature of the sums taken from an older bundle',
    (all, { older }) =>
      void all.set('SHA256SUMS.sig', older.get('SHA256SUMS.sig') ?? Buffer.alloc(0)),
    [['signature_wrong', 'SHA256SUMS']],
  ],
]

function otherKeys(text: string): string {
  const read = readCheckpoint(text)
  return read === undefined ? '' : signCheckpoint(newKey(), read)
}
