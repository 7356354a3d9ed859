import { CallsheetError } from '../../core/errors.ts'
import { fileFault } from '../../core/file-fault.ts'
import { withAccount } from '../../core/values/account-commands.ts'
import { maskSecrets, plainText } from '../../core/values/text.ts'
import { asCalled } from './called-as.ts'
import { StoppedError } from './signals.ts'

export interface Shown {
  code: string
  tried?: string
  came: string
  expected?: string
  todo?: string
}

/**
 * Describes an error for people and scripts: by its facts if it is a CallsheetError or a file error,
 * otherwise by its message. Commands in a CallsheetError's text name the account, if one is given.
 */
export function describeError(error: unknown, account?: string): Shown {
  const called = (text: string): string => tidy(asCalled(withAccount(text, account)))
  if (error instanceof CallsheetError) {
    const { tried, came, expected, todo } = error.facts
    return {
      code: error.code,
      tried: tidy(tried),
      came: called(came),
      ...(expected === undefined ? {} : { expected: called(expected) }),
      ...(todo === undefined ? {} : { todo: called(todo) }),
    }
  }
  if (error instanceof StoppedError)
    return {
      code: 'interrupted',
      came: error.message,
      todo: 'run the command again; finished work is kept',
    }
  const file = fileFault(error)
  if (file !== undefined) return { ...file, tried: tidy(file.tried) }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'unexpected',
    came: tidy(message === '' ? 'an error without a message' : message),
    todo: 'run the command again with --verbose and report the output; finished work is kept',
  }
}

export function errorLines(error: unknown, verbose: boolean, account?: string): string[] {
  const { tried, came, expected, todo } = describeError(error, account)
  const [first = '', ...more] = came.split('\n')
  return [
    `error: ${tried === undefined ? first : `${tried}: ${first}`}`,
    ...more,
    ...(expected === undefined ? [] : [`  expected:   ${expected}`]),
    ...(todo === undefined ? [] : [`  what to do: ${todo}`]),
    ...(verbose ? stackOf(error) : []),
  ]
}

/** Returns the exit code of a CallsheetError; any other error exits with 1. */
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

/** Masks secrets, and removes characters that could control the terminal, except line breaks. */
function tidy(text: string): string {
  return maskSecrets(text)
    .split('\n')
    .map((line) => plainText(line, 1000))
    .join('\n')
}
