import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Observer } from '../core/define/observer.ts'
import type { DatabaseNote, DatabaseNotes } from '../core/define/ports.ts'
import { ConfigurationError } from '../core/errors.ts'
import { makePrivateDirectory } from '../core/private-directory.ts'
import { MOST_SECRET_BYTES, readSmallFile, whyNotRead } from '../core/read-small-file.ts'

/** Stores this machine's notes about the database in the state directory, one file per account. */
export function createDatabaseNotes(stateDirectory: string, observer: Observer): DatabaseNotes {
  const folder = join(stateDirectory, 'database')
  const fileOf = (account: string): string => join(folder, `${account}.json`)
  return {
    read: (account) => readNote(fileOf(account)),
    keep(account, note) {
      try {
        makePrivateDirectory(stateDirectory)
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        replace(fileOf(account), `${JSON.stringify({ v: 1, ...note })}\n`)
      } catch (error) {
        // The work can continue, but the restore of a backup may go unnoticed from now on.
        const code = (error as NodeJS.ErrnoException).code ?? 'error'
        observer.event('database note not kept', { account, code, level: 'warn' })
      }
    },
  }
}

function readNote(file: string): DatabaseNote | undefined {
  let text: string
  try {
    text = readSmallFile(file, MOST_SECRET_BYTES).toString('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(file, whyNotRead(error))
  }
  try {
    return NOTE.parse(JSON.parse(text))
  } catch {
    throw unreadable(file, 'the content of the file is not a note that Callsheet wrote')
  }
}

function replace(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function unreadable(file: string, came: string): ConfigurationError {
  return new ConfigurationError('database_note_unreadable', {
    tried: `Reading this machine's note about the database, ${file}`,
    came,
    todo:
      'make the file readable by this user; if its content is damaged, delete the file, but only if the ' +
      'database was not restored from a backup',
  })
}

const NOTE = z
  .object({
    v: z.literal(1),
    epoch: z.number().int().positive(),
    mark: z.uuid(),
    at: z.iso.datetime({ offset: true }),
  })
  .transform(({ v: _v, ...note }): DatabaseNote => note)
