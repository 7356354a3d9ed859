import type { Command } from 'commander'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { LedgerSettings } from '../config/archive-settings.ts'
import { ConfigurationError } from '../core/errors.ts'
import { count } from '../core/values/quantities.ts'
import type { SigningKey } from '../evidence/log/signing-key.ts'
import type { LedgerToPrune, PrunedLedger } from '../serve/ledger/prune-ledgers.ts'
import { calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type Output } from './frame/output.ts'

export function ledgerCommand(run: Runner): Command {
  return defineCommand('ledger', 'Prune old ledger months', ['ledger prune --yes'])
    .enablePositionalOptions()
    .addCommand(ledgerPruneCommand(run))
}

function ledgerPruneCommand(run: Runner): Command {
  return defineCommand('prune', 'Remove ledger months older than ledger.keepMonths', [
    'ledger prune --yes',
  ])
    .option('--yes', 'remove them permanently, for all accounts')
    .action((options: PruneLedgersOptions) =>
      run(options, (context) => pruneLedgers(context, options), { databases: 'each' }),
    )
}

interface PruneLedgersOptions extends CommonOptions {
  yes?: boolean
}

export async function pruneLedgers(
  context: Context,
  options: PruneLedgersOptions,
): Promise<number> {
  const { output } = context
  const { config } = await context.loadConfig()
  if (options.yes !== true) throw notAsked(config.ledger)
  const asked = toPrune(config.ledger)
  if (asked.length === 0) output.line('ledger.keepMonths is not set, so nothing is removed.')
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const pruned = await prune(context, opened, asked)
    output.result({ ledgers: pruned })
    return pruned.some(({ putOff }) => putOff) ? 1 : 0
  })
}

function toPrune({ keepMonths: months }: LedgerSettings): LedgerToPrune[] {
  if (months === null) return []
  return [
    { ledger: 'slices', months },
    { ledger: 'notifications', months },
  ]
}

async function prune(
  { output, clock, signal }: Context,
  { warehouse, wiring }: OpenWarehouse,
  asked: readonly LedgerToPrune[],
): Promise<PrunedLedger[]> {
  const { openEvidence } = await import('../account/open-evidence.ts')
  const { pruneLedger } = await import('../serve/ledger/prune-ledgers.ts')
  const { observer } = wiring
  const key = (): SigningKey => openEvidence(wiring).key
  const all: PrunedLedger[] = []
  for (const one of asked) {
    const pruned = await pruneLedger({ warehouse, clock, observer, key }, { ...one, signal })
    output.line(`${WHAT[one.ledger]}, kept from ${pruned.keptFrom.slice(0, 10)} on. Removed:`)
    for (const month of pruned.months) output.line(`  ${month}`)
    printRows(output, pruned)
    if (pruned.months.length === 0 && Object.keys(pruned.rows).length === 0)
      output.line('  nothing')
    if (pruned.putOff)
      output.note(
        'Some months were not removed, because another session, such as a dump, is reading the ledger. ' +
          `Try again later: ${calledAs('callsheet')} ledger prune --yes`,
      )
    all.push(pruned)
  }
  return all
}

function printRows(output: Output, { rows }: Pick<PrunedLedger, 'rows'>): void {
  for (const [ledger, number] of Object.entries(rows))
    output.line(
      ledger === 'runs'
        ? `  plan and details of ${count(number)} runs; the runs stay`
        : `  ${count(number)} rows of ${ledger}`,
    )
}

const WHAT = {
  slices: 'The slice ledger and related rows',
  notifications: 'Notifications',
} as const

function notAsked({ keepMonths }: LedgerSettings): ConfigurationError {
  return new ConfigurationError('not_confirmed', {
    tried: 'Removing old ledger months',
    came: `--yes is missing (ledger.keepMonths is ${keepMonths ?? 'not set'})`,
    todo: 'add --yes to remove everything older permanently',
  })
}
