import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ADDED, FILLED } from '../../helpers/evidence-stage.ts'
import { fileIn, type Tamper } from './tamper.ts'

const FILE = 'file of s-1 a-1'
const FIRST = 'the file of whiteboard_activities/s-1/a-1'
const note = ({ directory }: Pick<CastStage, 'directory'>, number: number): string =>
  join(directory, 'notes', `checkpoint-0000${FILLED + ADDED * (number - 1)}`)

const LAST = FILLED + 2 * ADDED
const noteOver = (size: number): string => `the store's note of the checkpoint over ${size} entries`

/** Replaces a file, even a read-only one, as the owner of the folder can. */
function overwrite(path: string, content: string): void {
  rmSync(path, { force: true })
  writeFileSync(path, content)
}

/** Tampers by somebody who can write the store's folder but not the database. */
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
    'two files swapped',
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
    'a file moved, and replaced by a link to it',
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
  ['a note deleted', (stage) => rm(note(stage, 1)), [['note_missing', noteOver(FILLED)]]],
  ['a note emptied', (stage) => overwrite(note(stage, 3), ''), [['note_differs', noteOver(LAST)]]],
  [
    'the notes of two checkpoints swapped',
    async (stage) => {
      const [second, third] = [note(stage, 2), note(stage, 3)]
      const [text, other] = [await readFile(second, 'utf8'), await readFile(third, 'utf8')]
      overwrite(second, other)
      overwrite(third, text)
    },
    [
      ['note_differs', noteOver(FILLED + ADDED)],
      ['note_differs', noteOver(LAST)],
    ],
  ],
  [
    'a note added of a checkpoint that was never signed',
    (stage) => cp(note(stage, 3), note(stage, 4)),
    [['end_cut', `the checkpoint over ${LAST + ADDED} entries`]],
  ],
  [
    'a note added of a checkpoint between two others',
    (stage) => cp(note(stage, 3), join(stage.directory, 'notes', 'checkpoint-000009')),
    [['checkpoint_missing', 'the checkpoint over 9 entries']],
  ],
  [
    'a note added of a log with another name',
    (stage) => cp(note(stage, 3), join(stage.directory, 'notes', 'checkpoint-000009-000010')),
    [['end_cut', 'the checkpoint over 10 entries']],
  ],
  [
    'the size in a note changed',
    async (stage) =>
      overwrite(note(stage, 2), (await readFile(note(stage, 2), 'utf8')).replace(/^\d+$/m, '1')),
    [['note_differs', noteOver(FILLED + ADDED)]],
  ],
  [
    'all files and notes deleted',
    (stage) => {
      for (const name of ['files', 'notes'])
        renameSync(join(stage.directory, name), join(stage.directory, `${name}-`))
    },
    [
      ...Array.from({ length: 12 }, () => ['file_missing', /^the file of whiteboard_/] as const),
      ['note_missing', noteOver(FILLED)],
      ['note_missing', noteOver(FILLED + ADDED)],
    ],
  ],
]
