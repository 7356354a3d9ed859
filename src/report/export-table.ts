import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { defineReport } from '../core/define/report.ts'
import type { TableFormat } from '../core/define/report-format.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import type { Relation } from '../core/define/stream-row.ts'
import { iso, utcDay } from '../core/time/time.ts'
import { slug } from '../core/values/slug.ts'
import type { Transaction, Warehouse } from '../warehouse/connect.ts'
import { coverageMetadata } from './file-metadata.ts'
import { openReportContext } from './open-context.ts'
import { publishFiles } from './publish-files.ts'
import type { PlacedFile } from './put-in-place.ts'
import type { StreamCoverage } from './report-coverage.ts'
import { reportFileError } from './report-directory.ts'
import { endMs, type Moment, runIds, sourceOf } from './report-moment.ts'
import { momentSuffix } from './report-name-suffix.ts'
import { slicesAsOf } from './report-slices.ts'
import { isWhollyCovered, verdictOf } from './report-verdict.ts'
import { writeTable } from './write-table.ts'

export interface TableRequest {
  account: string
  stream: Stream
  format: TableFormat
  directory: string
  /** Exports only from runs that ended by this instant, in epoch milliseconds; default: the last runs. */
  endedByMs?: number | undefined
  /** Exports again as of this instant, replacing the file written for it. */
  againMs?: number | undefined
}

export interface ExportedTable {
  files: readonly PlacedFile[]
  rows: number
  asOfMs: number
  /** Whether the stream was read completely. */
  whole: boolean
  /** The verdict as a sentence, with the missing parts. */
  verdict: string
  coverage: readonly StreamCoverage[]
}

/**
 * Exports an account's rows of a stream, without deleted rows, as of the last run that read it completely (or
 * else the last run). A Parquet file's metadata, or a file beside a CSV, states how completely the stream was
 * read. Rows are streamed from one snapshot, and the file is recorded like a report.
 */
export async function exportTable(
  warehouse: Pick<Warehouse, 'transaction'>,
  request: TableRequest,
): Promise<ExportedTable> {
  const { account, stream, format, directory, endedByMs } = request
  const { made, files } = await publishFiles(warehouse, {
    account,
    directory,
    async make(tx, stage) {
      const asked = { ...request, endedByMs: endedByMs ?? request.againMs }
      const { rows: relation, facts, moment } = await openTable(tx, asked)
      const { asOfMs } = facts
      const metadata = await metadataOf(tx, { request, facts, moment })
      const suffix = momentSuffix({ endedByMs }, 'UTC')
      const name = `${slug(account)}-table-${stream.name}-${utcDay(asOfMs)}${suffix}`
      const folder = await stage(name)
      const target = { path: join(folder, `${name}.${format}`), format, metadata }
      const source = { tx, stream, rows: relation }
      const beside = format === 'parquet' ? [] : [`${name}.coverage.json`]
      const write = async (): Promise<number> => {
        for (const one of beside) await writeFile(join(folder, one), jsonOf(metadata))
        return await writeTable(source, target)
      }
      const rows = await write().catch((error: unknown) => {
        // Converted here, because the transaction would report it as a database error.
        throw reportFileError(error, directory)
      })
      return { ...facts, rows, moment, names: [`${name}.${format}`, ...beside] }
    },
    entry: ({ asOfMs, moment }) => ({
      report: 'table-export',
      params: { stream: stream.name, format },
      asked: { endedByMs },
      asOfMs,
      runIds: runIds(moment),
    }),
  })
  const { rows, asOfMs, whole, verdict, coverage } = made
  return { files, rows, asOfMs, whole, verdict, coverage }
}

/** The rows of a table as of a run, and how completely they were read. */
export interface OpenedTable {
  rows: Relation<unknown>
  facts: Omit<ExportedTable, 'files' | 'rows'>
  moment: Moment
}

export async function openTable(
  tx: Transaction,
  { account, stream, endedByMs }: Pick<TableRequest, 'account' | 'stream' | 'endedByMs'>,
): Promise<OpenedTable> {
  const asked = { account, endedByMs, report: tableOf(stream), ...NOTHING_ELSE }
  const { context, coverage, moment } = await openReportContext(tx, asked)
  const { asOfMs } = context
  const judged = { coverage, periods: undefined, timeZone: 'UTC', asOfMs }
  const verdict = verdictOf(judged).text
  const facts = { asOfMs, whole: isWhollyCovered(coverage), verdict, coverage }
  return { rows: context.rows(stream), facts, moment }
}

const NOTHING_ELSE = { params: {}, timeZone: 'UTC' }

/** Reads the table like a report that needs only this stream. */
function tableOf(stream: Stream) {
  return defineReport({
    name: 'table-export',
    title: `the table ${stream.name}`,
    params: z.object({}),
    needs: [stream],
    periods: () => undefined,
    build: () => Promise.resolve([]),
  })
}

interface Described extends Pick<OpenedTable, 'facts' | 'moment'> {
  request: Pick<TableRequest, 'account' | 'stream'>
}

async function metadataOf(
  tx: Transaction,
  { request: { account, stream }, facts, moment }: Described,
): Promise<Record<string, string>> {
  const fetched = fetchedStream(stream).name
  const run = sourceOf(moment, stream)
  const slices = await slicesAsOf(tx, { account, stream: fetched, run })
  const open = slices.filter(({ state }) => state !== 'complete')
  const told = open.slice(0, MOST_SLICES).map(({ name, state, owned }) => ({
    slice: name,
    state,
    ...(owned && { from: iso(owned.fromMs), to: iso(owned.toMs) }),
  }))
  const abouts = Object.entries(stream.columns).map(([name, { about }]) => [name, about])
  return {
    ...tableFacts({ request: { account, stream }, facts, moment }),
    ...coverageMetadata(facts.coverage),
    'callsheet.incomplete_slices': JSON.stringify(told),
    'callsheet.columns': JSON.stringify(Object.fromEntries(abouts)),
  }
}

/** The metadata that identifies a table and says whether it is complete. */
export function tableFacts({ request, facts, moment }: Described): Record<string, string> {
  return {
    'callsheet.account': request.account,
    'callsheet.stream': request.stream.name,
    'callsheet.as_of': iso(facts.asOfMs),
    'callsheet.runs_end': iso(endMs(moment)),
    'callsheet.runs': JSON.stringify(runIds(moment)),
    'callsheet.time_zone': 'UTC',
    'callsheet.whole': String(facts.whole),
    'callsheet.verdict': facts.verdict,
  }
}

/** Returns JSON. A value that is a JSON array, object or boolean is embedded; any other is a string. */
function jsonOf(metadata: Readonly<Record<string, string>>): string {
  const parsed = Object.entries(metadata).map(([key, value]) => [
    key.replace('callsheet.', ''),
    /^(?:[[{]|true$|false$)/.test(value) ? (JSON.parse(value) as unknown) : value,
  ])
  return `${JSON.stringify(Object.fromEntries(parsed), undefined, 2)}\n`
}

/** The maximum number of listed slices; the coverage has the full number. */
const MOST_SLICES = 1_000
