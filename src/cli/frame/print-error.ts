import { CallsheetError } from '../../core/errors/errors.ts'
import { maskSecrets, plainText } from '../../observe/plain-text.ts'
import { asCalled } from './called-as.ts'
import { StoppedError } from './signals.ts'

export interface Shown {
  code: string
  tried?: string
  came: string
  expected?: string
  todo?: string
}

/** What an error says to people and scripts. Errors of ours have their facts; others only their message. */
export function describeError(error: unknown): Shown {
  if (error instanceof CallsheetError) {
    const { tried, came, expected, todo } = error.facts
    return {
      code: error.code,
      tried: tidy(tried),
      came: tidy(asCalled(came)),
      ...(expected === undefined ? {} : { expected: tidy(asCalled(expected)) }),
      ...(todo === undefined ? {} : { todo: tidy(asCalled(todo)) }),
    }
  }
  if (error instanceof StoppedError)
    return {
      code: 'interrupted',
      came: error.message,
      todo: 'run it again: what was done by then stays',
    }
  const file = fileError(error)
  if (file !== undefined) return file
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'unexpected',
    came: tidy(message === '' ? 'an error without a message' : message),
    todo: 'run it again with --verbose and report what it prints; nothing half-done was committed',
  }
}

/** Folders and files that cannot be made, read or written are for the person at the machine to mend. */
function fileError(error: unknown): Shown | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  const came = FILE_ERRORS[code]
  // Of a file that is open already the system tells no path.
  const writing = /^(write|fsync|fdatasync)/.test(syscall)
  if (came === undefined || (path === undefined && !writing)) return undefined
  const tried = path === undefined ? 'Writing to a file' : `Using ${tidy(path)}`
  return { code: code.toLowerCase(), tried, came, todo: FILE_ADVICE }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied to this user',
  EPERM: 'permission denied to this user',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}
const FILE_ADVICE =
  'mend that, or keep the files elsewhere (stateDirectory and database.directory in the configuration)'

export function errorLines(error: unknown, verbose: boolean): string[] {
  const { tried, came, expected, todo } = describeError(error)
  const [first = '', ...more] = came.split('\n')
  return [
    `error: ${tried === undefined ? first : `${tried}: ${first}`}`,
    ...more,
    ...(expected === undefined ? [] : [`  expected:   ${expected}`]),
    ...(todo === undefined ? [] : [`  what to do: ${todo}`]),
    ...(verbose ? stackOf(error) : []),
  ]
}

/** An unexpected error ends with 1; ours know better. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CallsheetError ? error.exitCode : 1
}

function stackOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const own = (error.stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => tidy(line))
  return error.cause instanceof Error
    ? [...own, `  caused by: ${tidy(error.cause.message)}`, ...stackOf(error.cause)]
    : own
}

/** A list of problems keeps its lines; nothing else in them may act on the terminal. */
function tidy(text: string): string {
  return maskSecrets(text)
    .split('\n')
    .map((line) => plainText(line, 1000))
    .join('\n')
}
