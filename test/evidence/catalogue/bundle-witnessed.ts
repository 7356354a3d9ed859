import { generateKeyPairSync, sign } from 'node:crypto'
import { readCheckpoint, signCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import type { Members } from '../../helpers/rewrite-zip.ts'
import { edit } from '../sign-anew.ts'
import type { BundleTamper } from './tamper.ts'

const FEW = ['cosignatures_few', 'checkpoint'] as const

/**
 * Changes by a key holder, who signs the sums anew, to a bundle that two of three witnesses cosigned. The
 * reader has the keys of the witnesses.
 */
export const WITNESSED: readonly BundleTamper[] = [
  [
    'a cosignature removed',
    edit('checkpoint', (text) => text.replace(/^\u2014 w.example\/2 .*\n/m, '')),
    [FEW],
  ],
  [
    'a cosignature with another time',
    edit('checkpoint', (text) =>
      text.replace(/(\u2014 w.example\/2 )(\S+)/, (_all, start: string, base64: string) => {
        const bytes = Buffer.from(base64, 'base64')
        bytes.writeUInt8(bytes.readUInt8(11) ^ 1, 11)
        return start + bytes.toString('base64')
      }),
    ),
    [['cosignature_wrong', 'the cosignature of w.example/2'], FEW],
  ],
  [
    'a cosignature by another key under a witness’s name',
    edit('checkpoint', (text) =>
      text.replace(/(\u2014 w.example\/2 )(\S+)/, (_all, start: string, base64: string) => {
        const [of = ''] = text.split('\n\n', 1)
        const head = Buffer.from(base64, 'base64').subarray(0, 12)
        const time = head.readBigUInt64BE(4)
        const said = Buffer.from(`cosignature/v1\ntime ${time}\n${of}\n`)
        const { privateKey } = generateKeyPairSync('ed25519')
        return start + Buffer.concat([head, sign(null, said, privateKey)]).toString('base64')
      }),
    ),
    [['cosignature_wrong', 'the cosignature of w.example/2'], FEW],
  ],
  [
    'the cosignatures moved to a checkpoint with another root',
    (all, { key }) => {
      const text = textOf(all)
      const { origin = '', size = 0 } = readCheckpoint(text) ?? {}
      const other = signCheckpoint(key, { origin, size, root: Buffer.alloc(32, 7) })
      const said = text.match(/^\u2014 w\.example.*\n/gm) ?? []
      all.set('checkpoint', Buffer.from(other + said.join('')))
    },
    [
      ['checkpoint_wrong', 'checkpoint'],
      ['cosignature_wrong', 'the cosignature of w.example/1'],
      ['cosignature_wrong', 'the cosignature of w.example/2'],
      FEW,
      ...Array.from({ length: 27 }, () => ['proof_wrong', /^manifest.ndjson, line \d+/] as const),
    ],
  ],
  [
    'a policy that needs fewer witnesses',
    (all) => {
      edit('witnesses', (text) => text.replace('needed 2', 'needed 1'))(all)
      edit('checkpoint', (text) => text.replace(/^\u2014 w.example\/2 .*\n/m, ''))(all)
    },
    [FEW],
  ],
  [
    'an invalid policy',
    edit('witnesses', (text) => text.replace('needed 2', 'needed two')),
    [['witnesses_unreadable', 'witnesses']],
  ],
  [
    'checkpoint and proofs removed',
    (all) => {
      for (const name of ['checkpoint', 'checkpoint.vkey', 'witnesses']) all.delete(name)
      edit('manifest.ndjson', (text) => text.replace(/,"path":\[[^\]]+\]/g, ''))(all)
    },
    [['member_missing', 'checkpoint'], ['member_missing', 'checkpoint.vkey'], FEW],
  ],
]

function textOf(all: Members): string {
  return all.get('checkpoint')?.toString() ?? ''
}
