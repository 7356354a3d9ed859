import { type Command, InvalidArgumentError } from 'commander'
import { DAY_MS, parseDate } from '../../../core/time/time.ts'
import type { HoldOptions, PlaceOptions } from '../../archive/hold-archive.ts'
import { type CommonOptions, defineCommand, type Runner } from '../../frame/command.ts'

export function archiveHoldCommand(run: Runner): Command {
  const hold = defineCommand('hold', 'Keep stored files from being removed, for a reason', [
    'archive hold add case-7 --reason "request of the court" --whiteboard wb-1',
    'archive hold list',
    'archive hold release case-7',
  ])
  return hold
    .enablePositionalOptions()
    .addCommand(add(run))
    .addCommand(list(run))
    .addCommand(release(run))
}

function add(run: Runner): Command {
  return defineCommand('add', 'Place a hold; of no board and no session it is of everything', [
    'archive hold add audit-2026 --reason "annual audit" --until 2027-03-31',
  ])
    .argument('<name>', 'what it is called, for good', holdName)
    .requiredOption('--reason <text>', 'why; it stands beside everything that is held', reason)
    .option('--whiteboard <id>', 'only files of this board')
    .option('--session <id>', 'only files of this session')
    .option('--until <day>', 'the last day, in UTC, on which it holds', endOfDay)
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .action((name: string, options: PlaceOptions & CommonOptions) =>
      run(options, async (context) => {
        const { addHold } = await import('../../archive/hold-archive.ts')
        return await addHold(context, name, options)
      }),
    )
}

function list(run: Runner): Command {
  return defineCommand('list', 'Show all holds, what they cover, and who placed them', [
    'archive hold list --json',
  ])
    .option('-a, --account <name>', 'only this account')
    .action((options: HoldOptions) =>
      run(options, async (context) => {
        const { listHolds } = await import('../../archive/hold-archive.ts')
        return await listHolds(context, options)
      }),
    )
}

function release(run: Runner): Command {
  return defineCommand('release', 'End a hold now', ['archive hold release case-7'])
    .argument('<name>', 'the name of the hold', holdName)
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .action((name: string, options: HoldOptions) =>
      run(options, async (context) => {
        const { endHold } = await import('../../archive/hold-archive.ts')
        return await endHold(context, name, options)
      }),
    )
}

export function holdName(value: string): string {
  if (/^[\w.-]{1,60}$/.test(value)) return value
  throw new InvalidArgumentError('Expected up to 60 letters, digits, points, hyphens, underscores.')
}

export function reason(value: string): string {
  const text = value.trim()
  if (/^[^\p{Cc}]{1,1000}$/u.test(text)) return text
  throw new InvalidArgumentError('Expected one line of up to 1,000 characters.')
}

/** Epoch milliseconds of the first instant after the day. */
export function endOfDay(value: string): number {
  const day = parseDate(value)
  if (day === undefined)
    throw new InvalidArgumentError('Expected a day of the calendar, as yyyy-mm-dd.')
  return Date.parse(day) + DAY_MS
}
