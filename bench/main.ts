import { Argument, type Command, Option } from 'commander'
import { wholeNumber } from '../src/cli/frame/command.ts'
import { toolCommand } from '../test/helpers/tool-command.ts'
import { compileContestants } from './compile.ts'
import { type Figure, figureTable, printTable } from './figures.ts'
import { describeMachine } from './machine.ts'
import type { PartOptions } from './part.ts'
import { parts } from './parts.ts'
import { sources } from './sources.ts'

interface Asked extends Pick<PartOptions, 'rows' | 'source' | 'seed' | 'quick'> {
  gb: number | undefined
  profile: string | undefined
  node: string | undefined
}

await main()

/** Runs the named parts, or all, each after the other; fails when one of their figures misses its target. */
async function main(): Promise<void> {
  const command = benchCommand()
  const { gb, profile, node, ...asked } = command.opts<Asked>()
  const chosen = command.args.length === 0 ? Object.keys(parts) : command.args
  const options: PartOptions = {
    ...asked,
    gigabytes: gb,
    profileDirectory: profile,
    nodeFlags: flagsIn(node ?? ''),
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

function benchCommand(): Command {
  const about =
    'Measures the named parts, or all, each after the other; ends with 1 when a figure misses its target'
  const lines = Object.entries(parts).map(([name, part]) => `  ${name.padEnd(17)}${part.about}`)
  return toolCommand('npm run bench --', about, [
    'npm run bench -- load --rows 5000000',
    'npm run bench -- memory startup',
  ])
    .addArgument(new Argument('[part...]', 'see below').choices(Object.keys(parts)))
    .option('--rows <n>', "so many rows instead of a part's own numbers", wholeNumber)
    .addOption(
      new Option('--source <name>', 'this list only, for the part that reads them').choices(
        Object.keys(sources),
      ),
    )
    .option('--gb <n>', "so many gigabytes of files instead of a part's own number", wholeNumber)
    .option('--seed <n>', 'another draw of what is left to chance', wholeNumber, 7)
    .option('--quick', 'fewer rows and shorter drives: for trying the bench itself', false)
    .option('--profile <directory>', 'CPU profiles of the measured processes, a folder a step')
    .option('--node <flags>', 'start what is measured with these flags of Node')
    .addHelpText('after', `\nParts:\n${lines.join('\n')}`)
    .parse()
}

function flagsIn(command: string): string[] {
  return command.split(' ').filter((word) => word.startsWith('--'))
}
