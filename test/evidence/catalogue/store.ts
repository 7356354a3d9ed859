import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ADDED, FILLED } from '../../helpers/evidence-stage.ts'
import { fileIn, type Tamper } from './tamper.ts'

const FILE = 'file of s-1 a-1'
const FIRST = 'the file of whiteboard_activities/s-1/a-1'
const note = ({ directory }: Pick<CastStage, 'directory'>, name: string): string =>
  join(directory, 'notes', `head-00000${name}`)

const checkpointNote = ({ directory }: Pick<CastStage, 'directory'>, number: number): string =>
  join(directory, 'notes', `checkpoint-0000${FILLED + ADDED * (number - 1)}`)

/** As who owns the folder can, also where a file is not to be written any more. */
function overwrite(path: string, content: string): void {
  rmSync(path, { force: true })
  writeFileSync(path, content)
}

/** What somebody does who may write the folder of the store, and nothing of the database. */
export const STORE: readonly Tamper[] = [
  [
    'one byte of a file flipped',
    (stage) => overwrite(fileIn(stage, FILE), FILE.replace('f', 'g')),
    [['file_changed', FIRST]],
  ],
  [
    'one byte added to a file',
    (stage) => overwrite(fileIn(stage, FILE), `${FILE}!`),
    [['file_changed', FIRST]],
  ],
  ['a file emptied', (stage) => overwrite(fileIn(stage, FILE), ''), [['file_changed', FIRST]]],
  ['a file deleted', (stage) => rm(fileIn(stage, FILE)), [['file_missing', FIRST]]],
  [
    'two files exchanged for one another',
    async (stage) => {
      const [one, other] = [fileIn(stage, FILE), fileIn(stage, 'file of s-1 a-2')]
      await rename(one, `${one}-`)
      await rename(other, one)
      await rename(`${one}-`, other)
    },
    [
      ['file_changed', FIRST],
      ['file_changed', 'the file of whiteboard_activities/s-1/a-2'],
    ],
  ],
  [
    'a file put elsewhere, and a link to it in its place',
    async (stage) => {
      await rename(fileIn(stage, FILE), join(stage.directory, 'moved'))
      symlinkSync(join(stage.directory, 'moved'), fileIn(stage, FILE))
    },
    [['file_missing', FIRST]],
  ],
  [
    'a file added to the store',
    (stage) => writeFileSync(fileIn(stage, 'new'), 'new'),
    [['file_without_entry', new RegExp(`^the file ${sha256Hex('new')} in `)]],
  ],
  [
    'a note deleted',
    (stage) => rm(note(stage, '1.json')),
    [['note_missing', "the store's note of head 1"]],
  ],
  [
    'a note changed',
    (stage) => overwrite(note(stage, '3.json'), '{}'),
    [['note_differs', "the store's note of head 3"]],
  ],
  [
    'the notes of two heads exchanged for one another',
    async (stage) => {
      const [second, third] = [note(stage, '2.json'), note(stage, '3.json')]
      const [text, other] = [await readFile(second, 'utf8'), await readFile(third, 'utf8')]
      overwrite(second, other)
      overwrite(third, text)
    },
    [
      ['note_differs', "the store's note of head 2"],
      ['note_differs', "the store's note of head 3"],
    ],
  ],
  [
    'a note put in of a head that was never signed',
    (stage) => cp(note(stage, '3.json'), note(stage, '4.json')),
    [['end_cut', 'head 4']],
  ],
  [
    'the note of a checkpoint deleted',
    (stage) => rm(checkpointNote(stage, 3)),
    [['note_missing', "the store's note of the checkpoint of head 3"]],
  ],
  [
    'the note of a checkpoint changed',
    async (stage) =>
      overwrite(
        checkpointNote(stage, 2),
        (await readFile(checkpointNote(stage, 2), 'utf8')).replace(/^\d+$/m, '1'),
      ),
    [['note_differs', "the store's note of the checkpoint of head 2"]],
  ],
  [
    'all files and notes deleted',
    (stage) => {
      for (const name of ['files', 'notes'])
        renameSync(join(stage.directory, name), join(stage.directory, `${name}-`))
    },
    [
      ...Array.from({ length: 12 }, () => ['file_missing', /^the file of whiteboard_/] as const),
      ['note_missing', "the store's note of head 1"],
      ['note_missing', "the store's note of head 2"],
    ],
  ],
]
