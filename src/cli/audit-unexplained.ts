import { type Command, Option } from 'commander'
import { whoAsks } from '../account/who-asks.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import type { Unexplained, UnexplainedKind } from '../audit/verify/settle-unexplained.ts'
import { ofAccount } from '../core/define/observer.ts'
import { ConfigurationError } from '../core/errors.ts'
import { count } from '../core/values/quantities.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { asCalled } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccounts } from './frame/each-account.ts'

interface SettleOptions extends CommonOptions {
  account?: string
  confirm?: boolean
  reject?: boolean
  only?: UnexplainedKind
}

export function unexplainedCommand(run: Runner): Command {
  return defineCommand('unexplained', 'List unsigned evidence, and accept or reject it', [
    'audit unexplained',
    'audit unexplained --account main --confirm',
  ])
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--confirm', 'accept them; the next sync signs them')
    .option('--reject', 'reject them: files count as stored again, persons are no longer kept out')
    .addOption(
      new Option('--only <kind>', 'only this kind (required if there are several)').choices([
        'entries',
        'files',
        'suppressions',
        'rows',
      ] satisfies UnexplainedKind[]),
    )
    .addHelpText('after', UNEXPLAINED)
    .exitOverride()
    .action((options: SettleOptions) =>
      run(options, (context) => settleUnexplained(context, options), { databases: 'each' }),
    )
}

/** Shows changes that no action of Callsheet explains, and confirms or rejects them on request. */
async function settleUnexplained(context: Context, options: SettleOptions): Promise<number> {
  if (options.confirm === true && options.reject === true) throw confirmAndReject()
  const { account } = options
  return await withAccounts(context, { account, migrate: true }, async (opened, { name }) => {
    const found = await settle(opened, name, options)
    const keptOut = await keptOutBy(found)
    const shown = {
      entries: found.entries.map(({ seq, kind, subject }) => ({ entry: seq, kind, subject })),
      files: found.files.map(({ subject }) => subject),
      suppressions: keptOut,
      rows: found.rows,
    }
    print(context, { account: name, found, keptOut, options })
    const none = isNothing(found)
    const settled = options.confirm === true || options.reject === true
    return { code: none || settled ? 0 : 1, json: { account: name, ...shown } }
  })
}

async function settle(
  { wiring, warehouse }: OpenWarehouse,
  account: string,
  { confirm = false, reject = false, only }: SettleOptions,
): Promise<Unexplained> {
  const { openEvidence } = await import('../account/open-evidence.ts')
  const { confirmUnexplained, findUnexplained, ofKind, rejectUnexplained, UNEXPLAINED_KINDS } =
    await import('../audit/verify/settle-unexplained.ts')
  const { acquireLease } = await import('../warehouse/ledger/lease.ts')
  const { config, clock } = wiring
  const observer = ofAccount(wiring.observer, account)
  const { key, previousKeys } = openEvidence({ config, clock })
  const lease = await acquireLease(warehouse, { account, job: 'audit unexplained', clock })
  try {
    const run = { warehouse, lease, clock, observer }
    const work = async (tx: Transaction): Promise<Unexplained> => {
      const all = await findUnexplained(tx, { account, key, previousKeys })
      if ((confirm || reject) && only === undefined)
        checkOneKind(
          account,
          UNEXPLAINED_KINDS.filter((kind) => all[kind].length > 0),
        )
      const found = only === undefined ? all : ofKind(all, only)
      const by = (what: string) => ({ account, key, basis: `${what} by ${whoAsks()}` })
      if (reject && found.rows.length > 0) throw rowsNeedRepair()
      if (confirm) await confirmUnexplained(tx, by('confirmed'), found)
      if (reject) await rejectUnexplained(tx, by('kept when others were rejected'), found)
      return found
    }
    // A confirmation covers the entries that were shown. A rejection locks the tables and reads again.
    return await inTransaction(run, work, { steady: !reject })
  } finally {
    await lease.release()
  }
}

function print(
  { output }: Context,
  {
    account,
    found,
    keptOut,
    options,
  }: { account: string; found: Unexplained; keptOut: readonly KeptOut[]; options: SettleOptions },
): void {
  const { entries, files, rows } = found
  output.line(`Account ${account}`)
  if (isNothing(found)) {
    if (options.only === undefined) output.line('Nothing to settle: all of it is explained.')
    else output.line(`There are no unexplained ${options.only}. Leave out --only to see all kinds.`)
    return
  }
  output.table([
    ['entry', 'what', { heading: 'of', least: 30 }],
    ...entries.map(({ seq, kind, subject }) => [seq, kind, subject]),
    ...files.map(({ subject }) => ['(none)', 'removed file', subject]),
    ...keptOut.map(({ request, identities }) => [
      '(none)',
      'kept out',
      `${count(identities)} identities of request ${request}`,
    ]),
    ...rows.map(({ batch, place, wrote, took }) => [
      '(none)',
      'changed rows',
      `${place}: ${count(wrote)} written, ${count(took)} taken by batch ${batch}`,
    ]),
  ])
  if (options.confirm === true)
    output.line('Accepted. The next sync signs a checkpoint over the entries.')
  else if (options.reject === true)
    output.line(asCalled('Rejected and removed. Run callsheet verify to see what is missing.'))
  else
    output.note(
      'None of this is signed. If it is yours, accept it with --confirm; otherwise use --reject.',
    )
}

function isNothing({ entries, files, suppressions, rows }: Unexplained): boolean {
  return entries.length + files.length + suppressions.length + rows.length === 0
}

interface KeptOut {
  request: number
  identities: number
}

async function keptOutBy({ suppressions }: Unexplained): Promise<KeptOut[]> {
  const { countByRequest } = await import('../erasure/suppression-proof.ts')
  const requests = countByRequest(suppressions)
  return [...requests].map(([request, identities]) => ({ request, identities }))
}

/** Requires one kind at a time, because a confirmation of one kind of change does not apply to another. */
function checkOneKind(account: string, kinds: readonly UnexplainedKind[]): void {
  if (kinds.length < 2) return
  throw new ConfigurationError('kind_needed', {
    tried: `Settling unexplained items of account ${account}`,
    came: `there are ${kinds.length} kinds of unexplained items, and --only is missing`,
    todo: `settle one kind at a time: add --only ${kinds.join(' or --only ')}`,
  })
}

function rowsNeedRepair(): ConfigurationError {
  return new ConfigurationError('rows_need_repair', {
    tried: 'Rejecting changed rows',
    came: '--reject cannot undo changes to rows',
    todo:
      'restore the rows that callsheet verify names, for example from a backup, then accept the ' +
      'changes with --confirm --only rows',
  })
}

function confirmAndReject(): ConfigurationError {
  return new ConfigurationError('conflicting_options', {
    tried: 'Settling unexplained items',
    came: '--confirm and --reject exclude each other',
    todo: 'use one of them',
  })
}

const UNEXPLAINED = `
The evidence key signs every erasure and removal. One without a valid signature
may come from anyone who can write to the tables. Callsheet signs neither it nor
any later entry until you accept or reject it. What anything but the program did
to the tables of streams is listed as rows: --confirm signs that you know of it.
Exit codes: 0 nothing to settle, or settled, 1 something to settle, 5 another
process is using the account.`
