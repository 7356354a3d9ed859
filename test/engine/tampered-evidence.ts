import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../src/evidence/digest.ts'
import { addFile, type EvidenceStage, FILLED, newKey } from '../helpers/evidence-stage.ts'
import { named } from '../helpers/named-subject.ts'

const FILE = 'file of s-1 a-1'
const DIGEST = sha256Hex(FILE)
const fileIn = ({ directory }: EvidenceStage): string => join(directory, 'files', DIGEST)
const note = ({ directory }: EvidenceStage, name: string): string =>
  join(directory, 'notes', `head-${name}`)

type Tamper = (stage: EvidenceStage) => Promise<unknown> | void
export const sqlOf =
  (...statements: string[]): Tamper =>
  async (stage) => {
    for (const statement of statements) await stage.tamper(statement)
  }

/** What is done, and all the findings that it must lead to: the code, and what each of them names. */
export type Tampered = [string, Tamper, readonly [string, string | RegExp][]]

export const TAMPERED: readonly Tampered[] = [
  ['nothing', () => undefined, []],
  [
    'one byte of a file flipped',
    (stage) => writeFileSync(fileIn(stage), FILE.replace('f', 'g')),
    [['file_changed', 'the file of whiteboard_activities/s-1/a-1']],
  ],
  [
    'a file deleted',
    (stage) => rm(fileIn(stage)),
    [['file_missing', 'the file of whiteboard_activities/s-1/a-1']],
  ],
  [
    'a file added to the store',
    (stage) => writeFileSync(join(stage.directory, 'files', sha256Hex('new')), 'new'),
    [['file_without_entry', new RegExp(`^the file ${sha256Hex('new')} in `)]],
  ],
  [
    'a file exchanged in store and ledger alike',
    async (stage) => {
      await rm(fileIn(stage))
      writeFileSync(join(stage.directory, 'files', sha256Hex('other')), 'other')
      await stage.tamper(`update callsheet.files set sha256 = sha256('other'), size = 5
        where parent = 's-1' and item = 'a-1'`)
    },
    [['ledger_changed', /^whiteboard_activities\/s-1\/a-1, entry \d+$/]],
  ],
  [
    'the size in the ledger changed',
    sqlOf(`update callsheet.files set size = 1 where parent = 's-1' and item = 'a-1'`),
    [['size_wrong', 'the file of whiteboard_activities/s-1/a-1']],
  ],
  [
    'the size in the ledger made larger than its entry may tell',
    sqlOf(`update callsheet.files set size = 5000 where parent = 's-1' and item = 'a-1'`),
    [
      ['ledger_changed', /^whiteboard_activities\/s-1\/a-1, entry/],
      ['size_wrong', 'the file of whiteboard_activities/s-1/a-1'],
    ],
  ],
  [
    'a file struck from the ledger',
    sqlOf(`delete from callsheet.files where parent = 's-1' and item = 'a-1'`),
    [
      ['entry_without_file', /^whiteboard_activities\/s-1\/a-1, entry/],
      ['file_without_entry', new RegExp(`^the file ${DIGEST} in`)],
    ],
  ],
  [
    'a removal that was never entered',
    async (stage) => {
      await rm(fileIn(stage))
      await stage.tamper(
        `update callsheet.files set state = 'removed' where item = 'a-1' and parent = 's-1'`,
      )
    },
    [['removal_without_entry', 'whiteboard_activities/s-1/a-1']],
  ],
  [
    'a file put into the ledger behind the head',
    async (stage) => {
      await addFile(stage, { runId: 1, session: 's-1', id: 'new', content: 'new' })
      await stage.tamper(
        `update callsheet.files set state_at = now() - interval '1 day' where item = 'new'`,
      )
    },
    [['file_without_entry', 'whiteboard_activities/s-1/new']],
  ],
  [
    'a record changed',
    sqlOf(
      `update svc.whiteboard_activities set _bytes = '{}' where session_id = 's-1' and id = 'a-2'`,
    ),
    [['record_changed', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/]],
  ],
  [
    'a record deleted',
    sqlOf(`delete from svc.whiteboard_sessions where id = 's-1'`),
    [['record_missing', /^the record whiteboard_sessions\/s-1, entry \d+$/]],
  ],
  [
    'a record slipped in as if it were old',
    sqlOf(`insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at,
      _changed_at, _run_id) values ('main', 'new', '{}', '{}', '', now(), now(), 0)`),
    [['record_without_entry', 'the record whiteboard_sessions/new']],
  ],
  [
    'a head taken out of the middle',
    sqlOf(`delete from callsheet.heads where number = 2`),
    [
      ['head_chain_broken', 'head 3'],
      ['head_chain_broken', 'head 3'],
      ['head_missing', 'head 2'],
      ['root_wrong', `the entries ${FILLED + 3} to ${FILLED + 4} of head 3`],
    ],
  ],
  [
    'the line of a head changed',
    sqlOf(`update callsheet.heads set line = replace(line, '"at":"2', '"at":"1') where number = 2`),
    [
      ['head_chain_broken', 'head 3'],
      ['head_changed', 'head 2'],
      ['note_differs', "the store's note of head 2"],
      ['signature_wrong', 'head 2'],
    ],
  ],
  [
    'a signature changed',
    sqlOf(
      `update callsheet.heads
        set signature = set_byte(signature, 9, get_byte(signature, 9) # 1) where number = 1`,
    ),
    [['signature_wrong', 'head 1']],
  ],
  [
    'a head signed anew with another key',
    async (stage) => {
      const other = newKey()
      const line = 'x'
      await stage.tamper(`update callsheet.heads set
        public_key = '\\x${other.publicKey.der.toString('hex')}',
        signature = '\\x${other.sign(line).toString('hex')}' where number = 3`)
    },
    [
      ['key_exchanged', 'head 3'],
      ['signature_wrong', 'head 3'],
      ['signature_wrong', 'the checkpoint of head 3'],
    ],
  ],
  [
    'a note deleted',
    (stage) => rm(note(stage, '000001.json')),
    [['note_missing', "the store's note of head 1"]],
  ],
  [
    'a note changed',
    (stage) => writeFileSync(note(stage, '000003.json'), '{}'),
    [['note_differs', "the store's note of head 3"]],
  ],
  [
    'the salt of a record that is still there removed',
    sqlOf(`delete from callsheet.manifest_salts s using callsheet.manifest m
      where m.seq = s.seq and m.subject = ${named('whiteboard_sessions/s-1')}`),
    [['salt_missing', /^the record whiteboard_sessions\/s-1, entry \d+$/]],
  ],
]
