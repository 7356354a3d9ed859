import { RUNS_SOURCES } from './own-files.ts'

/** How people call a command here: a clone runs the source through npm, the package has a program. */
export function calledAs(command: 'demo' | 'callsheet'): string {
  if (RUNS_SOURCES) return `npm run ${command} --`
  return command === 'callsheet' ? command : `callsheet ${command}`
}

/** A path as a shell takes it for one word; quoted only if it holds more than plain characters. */
export function asOneWord(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : `"${path}"`
}
