import type { OpenWarehouse } from '../account/wire.ts'
import type { Stream } from '../core/define/stream.ts'
import { utcMinutes } from '../core/time/time.ts'
import { counted } from '../core/values/quantities.ts'
import type { LakeExport } from '../report/lake/export-lake.ts'
import type { LakePlace } from '../store/lake-place.ts'
import type { Context } from './frame/context.ts'
import { printFacts } from './frame/output.ts'

/** Brings a table of a lake up to date. */
export async function exportLake(
  context: Context,
  { warehouse, wiring }: OpenWarehouse,
  table: { account: string; stream: Stream; lake: LakePlace },
): Promise<LakeExport> {
  const { statesLakes } = await import('../account/state-decisions.ts')
  const { exportToLake } = await import('../report/lake/export-lake.ts')
  const { directory } = wiring.config.reports
  const deps = { warehouse, state: statesLakes(wiring) }
  const done = await exportToLake(deps, { ...table, directory })
  print(context, table, done)
  return done
}

function print(
  { output }: Context,
  { account, stream }: { account: string; stream: Stream },
  { asOfMs, verdict, rows, written, removed, snapshot, location }: LakeExport,
): void {
  output.line(`${stream.name}, account ${account}, as of ${utcMinutes(asOfMs)} UTC. ${verdict}`)
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
