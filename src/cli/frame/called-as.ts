import { RUNS_SOURCES } from './own-files.ts'

/** Returns how to call a command here: through npm in a clone, by program name in an installed package. */
export function calledAs(command: 'demo' | 'callsheet'): string {
  if (RUNS_SOURCES) return `npm run ${command} --`
  return command === 'demo' ? 'callsheet demo' : command
}

/** Replaces each command name in a text with the way to call it here. Idempotent. */
export function asCalled(text: string): string {
  const called = calledAs('callsheet')
  return called === 'callsheet' ? text : text.replaceAll(NAMED, `${called} `)
}

/** Returns a path as one word for a shell, quoted only if it contains more than plain characters. */
export function asOneWord(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : `"${path}"`
}

/** Commands that messages mention. A test compares them with the existing commands. */
export const COMMAND_NAMES = [
  'alert',
  'apply',
  'archive',
  'audit',
  'call',
  'completion',
  'config-schema',
  'demo',
  'doctor',
  'erase',
  'export',
  'init',
  'ledger',
  'login',
  'logout',
  'mcp',
  'migrate',
  'move',
  'operations',
  'plan',
  'preview',
  'psql',
  'report',
  'restored',
  'runs',
  'sandbox',
  'serve',
  'status',
  'sync',
  'verify',
]

const NAMES = `(?:${COMMAND_NAMES.join('|')})\\b`
const NAMED = new RegExp(`(?<![\\w/.-])callsheet (?=${NAMES})`, 'g')
/** The pattern of a command in a text, without its arguments. */
export const COMMAND = `(?:npm run callsheet --|(?<![\\w/.-])callsheet) ${NAMES}`
