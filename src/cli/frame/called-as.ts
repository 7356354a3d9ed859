import { environment } from '../../config/environment.ts'
import { RUNS_SOURCES } from './own-files.ts'

/**
 * How people call a command here: a clone runs the source through npm, the package has a program, and that
 * of a package in a plain folder is called through npx.
 */
export function calledAs(command: 'demo' | 'callsheet'): string {
  if (RUNS_SOURCES) return `npm run ${command} --`
  return command === 'callsheet' ? PROGRAM : `${PROGRAM} ${command}`
}

/** A text of ours that names commands, with each as people call it here. Twice is as once. */
export function asCalled(text: string): string {
  const called = calledAs('callsheet')
  return called === 'callsheet' ? text : text.replaceAll(NAMED, `${called} `)
}

/** A path as a shell takes it for one word; quoted only if it holds more than plain characters. */
export function asOneWord(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : `"${path}"`
}

/** The commands that texts name. A test compares them with those that there are. */
export const COMMAND_NAMES = [
  'alert',
  'apply',
  'archive',
  'audit',
  'call',
  'config-schema',
  'demo',
  'doctor',
  'erase',
  'export',
  'init',
  'ledger',
  'login',
  'logout',
  'migrate',
  'operations',
  'plan',
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

const NAMED = new RegExp(`(?<![\\w/.-]|npx )callsheet (?=(?:${COMMAND_NAMES.join('|')})\\b)`, 'g')

/** A shell finds what lies in `node_modules/.bin` only through npx or a script of npm. */
function throughNpm(program = ''): boolean {
  return environment().npm_command === 'exec' || /[\\/]node_modules[\\/]\.bin[\\/]/.test(program)
}

const PROGRAM = throughNpm(process.argv[1]) ? 'npx callsheet' : 'callsheet'
