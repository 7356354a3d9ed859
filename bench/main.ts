import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compileContestants } from './compile.ts'
import { type Figure, figureTable, printTable } from './figures.ts'
import { describeMachine } from './machine.ts'
import type { PartOptions } from './part.ts'
import { parts } from './parts.ts'
import { sources } from './sources.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string' },
    source: { type: 'string' },
    gb: { type: 'string' },
    seed: { type: 'string', default: '7' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
    node: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

await main()

/** Runs the named parts, or all, each after the other; fails when one of their figures misses its target. */
async function main(): Promise<void> {
  const chosen = positionals.length === 0 ? Object.keys(parts) : positionals
  const known = values.source === undefined || sources[values.source] !== undefined
  if (values.help || !known || chosen.some((name) => parts[name] === undefined)) {
    console.log(usage())
    process.exitCode = values.help ? 0 : 2
    return
  }
  const options: PartOptions = {
    rows: values.rows === undefined ? undefined : Number(values.rows),
    source: values.source,
    gigabytes: values.gb === undefined ? undefined : Number(values.gb),
    seed: Number(values.seed),
    quick: values.quick,
    profileDirectory: values.profile,
    nodeFlags: flagsIn(values.node ?? callsheetScript()),
  }
  await compileContestants()
  console.log(describeMachine(options.nodeFlags))
  const missed: Figure[] = []
  for (const name of chosen) {
    const { figures = [], tables = [] } = (await parts[name]?.measure(options)) ?? {}
    for (const table of [...tables, figureTable(name, figures)]) printTable(table)
    missed.push(...figures.filter(({ met }) => !met))
  }
  if (missed.length === 0) return
  console.log(`\n${missed.length} missed: ${missed.map(({ what }) => what).join('; ')}`)
  process.exitCode = 1
}

function usage(): string {
  const names = Object.entries(parts).map(([name, { about }]) => `  ${name.padEnd(20)}${about}`)
  return `npm run bench -- [part ...] [options]      all parts if none is named
${names.join('\n')}

  --rows N            so many rows instead of a part's own numbers
  --source NAME       of ${Object.keys(sources).join(' and ')}, for the part that reads them, this one only
  --gb N              so many gigabytes of files instead of a part's own number
  --seed N            another draw of what is left to chance, for the part that leaves something to it
  --quick             fewer rows and shorter drives: for trying the bench itself
  --profile DIRECTORY CPU profiles of the measured processes, one folder a step
  --node="--FLAG ..." what the measured processes are started with, instead of the command's flags`
}

/** The heap's limits decide what memory it takes, so what is measured gets the ones that the command gets. */
function callsheetScript(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { scripts: { callsheet: string } }).scripts.callsheet
}

function flagsIn(command: string): string[] {
  return command.split(' ').filter((word) => word.startsWith('--'))
}
