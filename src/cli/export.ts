import { type Command, Option } from 'commander'
import { chooseAccounts, pick } from '../account/choose.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import { TABLE_FORMATS, type TableFormat } from '../core/define/report-format.ts'
import type { Stream } from '../core/define/stream.ts'
import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { utcMinutes } from '../core/time/time.ts'
import { bytesText } from '../core/values/quantities.ts'
import type { ExportedTable } from '../report/export-table.ts'
import type { LakePlace } from '../store/lake-place.ts'
import { exportLake } from './export-lake.ts'
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
 * Writes one file per account and table, or updates the tables of a lake; a failed one does not stop the
 * others. Without a name, lists the tables, or updates those that were ever synced.
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
  asked: AskedTable,
): Promise<Outcome> {
  const { refuseRestored } = await import('../warehouse/ledger/lineage.ts')
  const { account, stream, lake } = asked
  await refuseRestored(opened.warehouse, account)
  const exported =
    lake === undefined
      ? await exportFiles(context, opened, asked)
      : await exportLake(context, opened, { account, stream, lake })
  const result = { account, stream: stream.name, ...exported }
  return { result, code: exported.whole ? 0 : SOME_INCOMPLETE }
}

async function exportFiles(
  context: Context,
  { warehouse, wiring: { config } }: OpenWarehouse,
  { account, stream, options }: AskedTable,
): Promise<ExportedTable> {
  const { exportTable } = await import('../report/export-table.ts')
  const { asOf, format, out: directory = config.reports.directory } = options
  const endedByMs = asOf === undefined ? undefined : instantOf(asOf, config.timezone)
  const exported = await exportTable(warehouse, { account, stream, format, directory, endedByMs })
  print(context, { account, stream }, exported)
  return exported
}

/**
 * Reports the error of one table. Rethrows a configuration error, because it applies to all accounts and
 * tables.
 */
function notWritten(
  { output, verbose }: Context,
  { account, stream, error }: { account: string; stream: Stream; error: unknown },
): Outcome {
  if (error instanceof ConfigurationError) throw error
  for (const line of errorLines(error, verbose)) output.note(line)
  const result = { account, stream: stream.name, error: describeError(error) }
  return { result, code: exitCodeOf(error) }
}

/** Prints in the first line whether the table is complete. */
function print(
  { output }: Context,
  { account, stream }: { account: string; stream: Stream },
  { files, rows, asOfMs, verdict }: ExportedTable,
): void {
  output.line(`${stream.name}, account ${account}, as of ${utcMinutes(asOfMs)} UTC. ${verdict}`)
  printFacts(output, [
    ['  rows', rows],
    ...files.map(({ path, bytes }): [string, string] => [`  ${fromHere(path)}`, bytesText(bytes)]),
  ])
  for (const line of keptLines(files)) output.note(`warning: ${line}`)
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

/** The exit code of a sync that left slices incomplete. */
const SOME_INCOMPLETE = 4
