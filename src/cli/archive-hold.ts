import { type Command, InvalidArgumentError } from 'commander'
import { chooseAccounts, chooseOneAccount } from '../account/choose.ts'
import { whoAsks } from '../account/who-asks.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { Hold } from '../archive/sql/holds.ts'
import { ConfigurationError } from '../core/errors.ts'
import { parseDate } from '../core/time/instant.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'
import { bytesText, count } from '../core/values/quantities.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { heading, type TableRow } from './frame/table.ts'

interface HoldOptions extends CommonOptions {
  account?: string
}

interface PlaceOptions {
  account?: string
  reason: string
  whiteboard?: string
  session?: string
  /** The instant at which the hold ends, in epoch milliseconds. */
  until?: number
}

export function archiveHoldCommand(run: Runner): Command {
  const hold = defineCommand('hold', 'Protect stored files from removal (legal hold)', [
    'archive hold add case-7 --reason lawsuit --whiteboard wb-1',
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
  return defineCommand('add', 'Place a hold on a board, a session, or everything', [
    'archive hold add audit --reason "annual audit" --until 2027-03-31',
  ])
    .argument('<name>', 'name of the hold (cannot be reused)', holdName)
    .requiredOption('--reason <text>', 'reason, shown with every held file', readReason)
    .option('--whiteboard <id>', 'hold only files of this board')
    .option('--session <id>', 'hold only files of this session')
    .option('--until <day>', 'last day of the hold (UTC)', endOfDay)
    .option('-a, --account <name>', 'the account (required if there are several)')
    .action((name: string, options: PlaceOptions & CommonOptions) =>
      run(options, (context) => addHold(context, name, options)),
    )
}

function list(run: Runner): Command {
  return defineCommand('list', 'List all holds with their scope and who placed them', [
    'archive hold list --json',
  ])
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .action((options: HoldOptions) => run(options, (context) => listHolds(context, options)))
}

function release(run: Runner): Command {
  return defineCommand('release', 'End a hold now', ['archive hold release case-7'])
    .argument('<name>', 'the name of the hold', holdName)
    .option('-a, --account <name>', 'the account (required if there are several)')
    .action((name: string, options: HoldOptions) =>
      run(options, (context) => endHold(context, name, options)),
    )
}

export function holdName(value: string): string {
  if (/^[\w.-]{1,60}$/.test(value)) return value
  throw new InvalidArgumentError('Expected up to 60 letters, digits, points, hyphens, underscores.')
}

function readReason(value: string): string {
  const text = value.trim()
  if (/^[^\p{Cc}]{1,1000}$/u.test(text)) return text
  throw new InvalidArgumentError('Expected one line of up to 1,000 characters.')
}

/** Returns the first instant after the day, in epoch milliseconds. */
function endOfDay(value: string): number {
  const day = parseDate(value)
  if (day === undefined)
    throw new InvalidArgumentError('Expected a day of the calendar, as yyyy-mm-dd.')
  return Date.parse(day) + DAY_MS
}

async function addHold(context: Context, name: string, options: PlaceOptions): Promise<number> {
  const { statesHold } = await import('../account/state-decisions.ts')
  const { placeHold, readHolds } = await import('../archive/sql/holds.ts')
  const account = await oneAccount(context, options.account)
  const { output, clock } = context
  const { reason, whiteboard: whiteboardId, session: sessionId, until: endsAtMs } = options
  refuseOver(name, endsAtMs, clock.now())
  return await withWarehouse(context, { migrate: true }, async ({ warehouse, wiring }) => {
    const onDecided = statesHold(wiring, account)
    const place = {
      account,
      onDecided,
      name,
      reason,
      whiteboardId,
      sessionId,
      endsAtMs,
      placedBy: whoAsks(),
    }
    const { tooLate } = await placeHold(warehouse, place)
    const hold = (await readHolds(warehouse, account)).find((one) => one.name === name)
    const { files = 0, bytes = 0 } = hold ?? {}
    const covered = `${count(files)} stored files (${bytesText(bytes)})`
    output.line(`Hold ${name} of account ${account} now protects ${covered}, and all that follow.`)
    if (files === 0)
      output.note('It covers no stored file yet. If that is unexpected, check the ID.')
    if (tooLate > 0)
      output.note(
        `${count(tooLate)} files that it covers were already being removed; what is left of them stays.`,
      )
    output.result({ account, hold, tooLate })
    return 0
  })
}

async function listHolds(context: Context, { account }: HoldOptions): Promise<number> {
  const { readHolds } = await import('../archive/sql/holds.ts')
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, account)
  return await withWarehouse(context, { migrate: false }, async ({ warehouse }) => {
    const found: { account: string; holds: Hold[] }[] = []
    for (const { name } of accounts)
      found.push({ account: name, holds: await readHolds(warehouse, name) })
    const rows = found.flatMap(({ account: of, holds }) => holds.map((hold) => holdRow(of, hold)))
    if (rows.length === 0) context.output.line('There are no holds.')
    else context.output.table([HEADING, ...rows])
    context.output.result({ accounts: found })
    return 0
  })
}

async function endHold(context: Context, name: string, options: HoldOptions): Promise<number> {
  const { statesHold } = await import('../account/state-decisions.ts')
  const { releaseHold } = await import('../archive/sql/holds.ts')
  const account = await oneAccount(context, options.account)
  return await withWarehouse(context, { migrate: true }, async ({ warehouse, wiring }) => {
    const onDecided = statesHold(wiring, account)
    await releaseHold(warehouse, { account, name, releasedBy: whoAsks(), onDecided })
    context.output.line(`Hold ${name} of account ${account} is released.`)
    context.output.result({ account, released: name })
    return 0
  })
}

async function oneAccount(context: Context, name: string | undefined): Promise<string> {
  const { config } = await context.loadConfig()
  return chooseOneAccount(config, name, 'Looking for the account of the hold').name
}

function holdRow(account: string, hold: Hold): TableRow {
  const of = [
    hold.whiteboardId === undefined ? '' : `board ${hold.whiteboardId}`,
    hold.sessionId === undefined ? '' : `session ${hold.sessionId}`,
  ].filter((part) => part !== '')
  return [
    account,
    hold.name,
    of.length === 0 ? 'everything' : of.join(', '),
    hold.begins.slice(0, 10),
    stateOf(hold),
    hold.files,
    bytesText(hold.bytes),
    hold.placedBy,
    hold.reason,
  ]
}

function stateOf({ active, ends, releasedAt }: Hold): string {
  if (releasedAt !== undefined) return `released ${releasedAt.slice(0, 10)}`
  if (ends === undefined) return 'until released'
  const last = utcDay(Date.parse(ends) - 1)
  return active ? `to ${last}` : `ended ${last}`
}

/** Refuses a hold whose last day has passed, because it would appear to protect files but protect none. */
function refuseOver(name: string, endsAtMs: number | undefined, nowMs: number): void {
  if (endsAtMs === undefined || endsAtMs > nowMs) return
  throw new ConfigurationError('hold_over', {
    tried: `Placing the hold ${name}`,
    came: `the last day of the hold, ${utcDay(endsAtMs - 1)}, is already over`,
    todo: 'choose today (UTC) or a later day for --until',
  })
}

const HEADING = heading(
  ['account', 'hold', 'of', 'from', 'state', 'files', 'bytes', 'placed by', 'reason'],
  {
    least: { account: 12, of: 12, state: 10, 'placed by': 10, reason: 14 },
    hide: ['bytes', 'files', 'from', 'placed by'],
  },
)
