import { type Command, Option } from 'commander'
import { chooseAccounts, pick } from '../account/choose.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import { TABLE_FORMATS, type TableFormat } from '../core/define/report-format.ts'
import type { Stream } from '../core/define/stream.ts'
import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { utcMinutes } from '../core/time/time.ts'
import { bytesText, counted } from '../core/values/quantities.ts'
import type { LakeExport } from '../report/lake/export-lake.ts'
import type { LakePlace } from '../store/lake-place.ts'
import { calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { worst } from './frame/exit-codes.ts'
import { fromHere, keptLines } from './frame/kept-lines.ts'
import { instantOf, moment } from './frame/moments.ts'
import { printFacts } from './frame/output.ts'
import { describeError, errorLines, exitCodeOf } from './frame/print-error.ts'

interface ExportTablesOptions extends CommonOptions {
  account?: string
  format: TableFormat
  /** A day, which means its end, or an instant. */
  asOf?: string
  out?: string
  lake?: string
}

export function exportCommand(run: Runner): Command {
  return defineCommand('export', 'Export tables as Parquet or CSV files, or to a data lake', [
    'export users phone_numbers',
    'export session_reports --format csv --out /tmp',
    'export phone_numbers --as-of 2026-06-03',
    'export --lake s3://example-lake/callsheet',
  ])
    .argument('[stream...]', 'tables to export (default: list all tables)')
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .addOption(
      new Option('-f, --format <format>', 'file format').choices(TABLE_FORMATS).default('parquet'),
    )
    .option('--as-of <when>', 'as synced by the end of this day, or by this time', moment)
    .option('-o, --out <folder>', 'output folder')
    .addOption(
      new Option(
        '--lake <place>',
        'update Iceberg tables in a folder or s3://BUCKET/PREFIX (default: all tables)',
      ).conflicts(['format', 'asOf', 'out']),
    )
    .addHelpText(
      'after',
      '\nExit code 4: the files were written, but a part of a table has not been synced.',
    )
    .action((names: string[], options: ExportTablesOptions) =>
      run(options, (context) => exportTables(context, names, options), { databases: 'each' }),
    )
}

/**
 * Writes files of each account and table, or updates the tables of a lake. A failed table does not stop the
 * others, unless the configuration is wrong. Without a name, lists the tables, or updates all synced ones.
 */
async function exportTables(
  context: Context,
  names: readonly string[],
  options: ExportTablesOptions,
): Promise<number> {
  const { streams } = await import('../account/catalog.ts')
  const { output, signal } = context
  const named = names.length > 0
  if (!named && options.lake === undefined) return listTables(context, streams)
  const wanted = new Set(named ? names.map((name) => pick('table', name, streams)) : streams)
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const { openLake } = await import('../account/choose-lake.ts')
    const lake =
      options.lake === undefined ? undefined : await openLake(opened.wiring, options.lake)
    const outcomes: Outcome[] = []
    for (const { name: account } of accounts)
      for (const stream of wanted) {
        if (signal.aborted) break
        try {
          outcomes.push(await exportOne(context, opened, { account, stream, lake, options }))
        } catch (error) {
          if (named || !(error instanceof CallsheetError) || error.code !== 'never_synced')
            outcomes.push(notWritten(context, { account, stream, error }))
        }
      }
    if (outcomes.length === 0 && !signal.aborted) output.line('No table has been synced yet.')
    output.result({ tables: outcomes.map(({ result }) => result) })
    return worst(outcomes.map(({ code }) => code))
  })
}

interface Outcome {
  result: object
  code: number
}

interface AskedTable {
  account: string
  stream: Stream
  lake: LakePlace | undefined
  options: ExportTablesOptions
}

async function exportOne(
  context: Context,
  opened: OpenWarehouse,
  { account, stream, lake, options }: AskedTable,
): Promise<Outcome> {
  const { refuseRestored } = await import('../warehouse/ledger/lineage.ts')
  const { warehouse, wiring } = opened
  const { output } = context
  await refuseRestored(warehouse, account)
  const { asOf, format, out: directory = wiring.config.reports.directory } = options
  const print = ({ asOfMs, verdict }: { asOfMs: number; verdict: string }, facts: Facts): void => {
    output.line(`${stream.name}, account ${account}, as of ${utcMinutes(asOfMs)} UTC. ${verdict}`)
    printFacts(output, facts)
  }
  if (lake !== undefined) {
    const { statesLakes } = await import('../account/state-decisions.ts')
    const { exportToLake } = await import('../report/lake/export-lake.ts')
    const deps = { warehouse, state: statesLakes(wiring) }
    const done = await exportToLake(deps, { account, stream, lake, directory })
    print(done, lakeFacts(done))
    return outcomeOf(account, stream, done)
  }
  const { exportTable } = await import('../report/export-table.ts')
  const endedByMs = asOf === undefined ? undefined : instantOf(asOf, wiring.config.timezone)
  const done = await exportTable(warehouse, { account, stream, format, directory, endedByMs })
  const { rows, files } = done
  print(done, [
    ['  rows', rows],
    ...files.map(({ path, bytes }): [string, string] => [`  ${fromHere(path)}`, bytesText(bytes)]),
  ])
  for (const line of keptLines(files)) output.note(`warning: ${line}`)
  return outcomeOf(account, stream, done)
}

type Facts = Parameters<typeof printFacts>[1]

function lakeFacts({ location, rows, snapshot, written, removed }: LakeExport): Facts {
  const which =
    snapshot === undefined ? 'unchanged' : `${snapshot.id} (version ${snapshot.version})`
  return [
    ['  lake', location],
    ['  rows', rows],
    ['  snapshot', which],
    ['  days', snapshot && `${counted(written, 'file')} new, ${removed} replaced or removed`],
    ['  log entry', snapshot && (snapshot.entry ?? 'none: this account keeps no evidence yet')],
  ]
}

function outcomeOf(account: string, stream: Stream, done: { whole: boolean }): Outcome {
  const result = { account, stream: stream.name, ...done }
  return { result, code: done.whole ? 0 : SOME_INCOMPLETE }
}

/** Reports the error of one table. Rethrows a configuration error, which stops the whole command. */
function notWritten(
  { output, verbose }: Context,
  { account, stream, error }: { account: string; stream: Stream; error: unknown },
): Outcome {
  if (error instanceof ConfigurationError) throw error
  for (const line of errorLines(error, verbose)) output.note(line)
  const result = { account, stream: stream.name, error: describeError(error) }
  return { result, code: exitCodeOf(error) }
}

function listTables({ output }: Context, streams: readonly Stream[]): number {
  const tables = [...streams].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  output.table([
    ['table', 'columns'],
    ...tables.map(({ name, columns }) => [name, Object.keys(columns).length] as const),
  ])
  output.line(`\nExport one with: ${calledAs('callsheet')} export NAME`)
  output.result({ tables: tables.map(({ name }) => name) })
  return 0
}

/** The same exit code as of a sync that left slices incomplete. */
const SOME_INCOMPLETE = 4
