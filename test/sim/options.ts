import { availableParallelism } from 'node:os'
import { Option } from 'commander'
import { wholeNumber } from '../../src/cli/frame/command.ts'
import { toolCommand } from '../helpers/tool-command.ts'
import { PLANTED } from './planted.ts'

export interface SimOptions {
  /** The one seed to replay, instead of many. */
  seed?: number
  seeds: number
  from: number
  workers: number
  trace?: boolean
  planted?: boolean
  only?: string[]
  batchRows?: number
  minutes?: number
  journal?: string
}

/** What `npm run sim` was asked for; ends the process where that is nothing it knows. */
export function simOptions(): SimOptions {
  const cores = Math.min(4, availableParallelism())
  const number = (flags: string, about: string): Option =>
    new Option(flags, about).argParser(wholeNumber)
  const command = toolCommand('npm run sim --', ABOUT, EXAMPLES)
    .addOption(number('--seed <n>', 'replay this seed alone').env('SEED'))
    .addOption(number('--seeds <n>', 'how many seeds').default(200))
    .addOption(number('--from <n>', 'the first of them').default(1))
    .addOption(number('--workers <n>', 'processes side by side').default(cores))
    .option('--trace', 'with a seed: print what happened, line by line')
    .option('--planted', 'put in one bug at a time, and look for it')
    .addOption(
      new Option('--only <bug...>', 'these planted bugs alone').choices(Object.keys(PLANTED)),
    )
    .addOption(number('--batch-rows <n>', 'so few rows a transaction'))
    .addOption(number('--minutes <n>', 'end after so long'))
    .option('--journal <file>', 'note each seed down, and go on there after a run that was cut off')
    .parse()
  const options = command.opts<SimOptions>()
  if (options.trace === true && options.seed === undefined)
    command.error('error: --trace prints one seed; name it, as in SEED=7 npm run sim -- --trace')
  return options
}

const ABOUT =
  'Seeds of faults, crashes, pauses, rivals and edits under a virtual clock; ends with 1 on any violation'
const EXAMPLES = [
  'npm run sim -- --seeds 10000 --journal sim.jsonl',
  'SEED=7 npm run sim -- --trace',
  'npm run sim -- --planted --seeds 300 --only version-not-compared',
]
