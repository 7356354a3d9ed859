import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compilePackage } from './compile.ts'
import type { Part } from './part.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COMMAND = 'dist/callsheet.js'
const MOST_TIMES = 3

/** What each process is started with; the first is the least that Node itself takes. */
const PROCESSES: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  'callsheet --help': [COMMAND, '--help'],
  'callsheet sync --help': [COMMAND, 'sync', '--help'],
  'callsheet --version': [COMMAND, '--version'],
}

export const startupPart: Part = {
  about: 'the built command’s --help beside node -e 0',
  async measure({ quick }) {
    await compilePackage()
    const names = Object.keys(PROCESSES)
    const taken = new Map(names.map((name) => [name, [] as number[]]))
    // In turns, so that what else the machine does weighs on all alike.
    for (let round = 0; round < (quick ? 5 : 31); round++)
      for (const name of names) taken.get(name)?.push(timeOf(PROCESSES[name] ?? []))
    const median = (name: string): number => middle(taken.get(name) ?? [])
    const [least = '', ...ours] = names
    const lines = names.map((name) => [
      name,
      `${median(name).toFixed(1)} ms`,
      `${Math.min(...(taken.get(name) ?? [])).toFixed(1)} ms`,
      (median(name) / median(least)).toFixed(2),
    ])
    const figures = ours.map((name) => ({
      what: name,
      measured: `${(median(name) / median(least)).toFixed(2)} x ${least}`,
      beside: `${median(name).toFixed(0)} to ${median(least).toFixed(0)} ms`,
      target: `<= ${MOST_TIMES}`,
      met: median(name) <= MOST_TIMES * median(least),
    }))
    const header = ['process', 'median', 'fastest', 'times node -e 0']
    return {
      figures,
      tables: [{ title: 'startup, medians of runs in turns', lines: [header, ...lines] }],
    }
  },
}

function timeOf(args: readonly string[]): number {
  const startedMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'ignore' })
  const takenMs = performance.now() - startedMs
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return takenMs
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
