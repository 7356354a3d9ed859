import { openLake } from '../account/choose-lake.ts'
import { statesLakes } from '../account/state-decisions.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import type { Stream } from '../core/define/stream.ts'
import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { utcMinutes } from '../core/time/time.ts'
import { counted } from '../core/values/quantities.ts'
import type { LakeExport } from '../report/lake/export-lake.ts'
import type { Context } from './frame/context.ts'
import { worst } from './frame/exit-codes.ts'
import { printFacts } from './frame/output.ts'
import { describeError, errorLines, exitCodeOf } from './frame/print-error.ts'

interface LakeTables {
  pairs: readonly { account: string; stream: Stream }[]
  /** Whether the tables were named; otherwise a table that was never synced is left out. */
  named: boolean
  address: string
}

/** Brings tables of a lake up to date; a failed table does not stop the others. */
export async function exportLake(
  context: Context,
  opened: OpenWarehouse,
  { pairs, named, address }: LakeTables,
): Promise<number> {
  const { exportToLake } = await import('../report/lake/export-lake.ts')
  const { refuseRestored } = await import('../warehouse/ledger/lineage.ts')
  const { output, signal } = context
  const { warehouse, wiring } = opened
  const lake = await openLake(wiring, address)
  const codes: number[] = []
  const tables: object[] = []
  const state = statesLakes(wiring)
  const { directory } = wiring.config.reports
  for (const { account, stream } of pairs) {
    if (signal.aborted) break
    const about = { account, stream: stream.name }
    try {
      await refuseRestored(warehouse, account)
      const done = await exportToLake({ warehouse, state }, { account, stream, lake, directory })
      print(context, about, done)
      tables.push({ ...about, ...done })
      codes.push(done.whole ? 0 : SOME_INCOMPLETE)
    } catch (error) {
      // A configuration error applies to all tables.
      if (error instanceof ConfigurationError) throw error
      if (!named && error instanceof CallsheetError && error.code === 'never_synced') continue
      for (const line of errorLines(error, context.verbose)) output.note(line)
      tables.push({ ...about, error: describeError(error) })
      codes.push(exitCodeOf(error))
    }
  }
  lake.close()
  if (tables.length === 0) output.line('No table has been synced yet.')
  output.result({ tables })
  return worst(codes)
}

function print({ output }: Context, about: { account: string; stream: string }, done: LakeExport) {
  const { asOfMs, verdict, rows, written, removed, snapshot, location } = done
  const { account, stream } = about
  output.line(`${stream}, account ${account}, as of ${utcMinutes(asOfMs)} UTC. ${verdict}`)
  printFacts(output, [
    ['  lake', location],
    ['  rows', rows],
    [
      '  snapshot',
      snapshot === undefined ? 'unchanged' : `${snapshot.id} (version ${snapshot.version})`,
    ],
    ['  days', snapshot && `${counted(written, 'file')} new, ${removed} replaced or removed`],
    ['  log entry', snapshot && (snapshot.entry ?? 'none: this account keeps no evidence yet')],
  ])
}

/** The exit code of a sync that left slices incomplete. */
const SOME_INCOMPLETE = 4
