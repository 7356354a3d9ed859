import { join } from 'node:path'
import { ConfigurationError } from '../../core/errors.ts'
import { untilStopped } from '../../core/time/until-stopped.ts'
import { startEmbedded } from '../../warehouse/embedded/embedded.ts'
import { calledAs } from '../frame/called-as.ts'
import type { Context } from '../frame/context.ts'
import { type DemoState, hasDatabase } from './state.ts'

/**
 * Starts the demo's database, so that any client can read its tables. Ctrl-C stops it. The JSON document also
 * has the fields of `result`.
 */
export async function serveDatabase(
  context: Context,
  state: DemoState,
  result = {},
): Promise<number> {
  if (!hasDatabase(state)) {
    throw new ConfigurationError('no_demo_yet', {
      tried: "Starting the demo's database",
      came: 'no demo has run in this folder yet',
      todo: `run ${calledAs('demo').replace(/ --$/, '')} first`,
    })
  }
  const server = await startEmbedded({ directory: join(state.directory, 'postgres') })
  try {
    const { output, signal } = context
    output.line("The demo's database is running. Connect with any Postgres client, for example:")
    output.line(
      `\n  psql '${server.url}' -c 'select * from report.session_reports limit 10'\n`,
      'whole',
    )
    output.line('  svc.*        current rows')
    output.line('  history.*    earlier versions of rows')
    output.line('  report.*     views for reports')
    output.line('  callsheet.*  runs, slices and other ledgers\n')
    output.line('Press Ctrl-C to stop it.')
    output.result({ ...result, url: server.url })
    await untilStopped(signal)
    return 0
  } finally {
    await server.stop()
  }
}
