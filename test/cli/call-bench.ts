import { sql } from 'kysely'
import { connect } from '../../src/warehouse/connect.ts'
import { type Answer, type FaultServer, faultServer } from '../api/fault-server.ts'
import { type Ended, openWorkbench, type Workbench } from './workbench.ts'

/** Runs `callsheet call` against a sandbox, or against a server with given responses. */
export interface CallBench {
  bench: Workbench
  call(...args: string[]): Promise<Ended>
  /** Starts a server with these responses and configures it; tokens still come from the sandbox. */
  serve(...answers: Answer[]): Promise<FaultServer>
  /** The last row of `callsheet.calls`. */
  entered(): Promise<Record<string, unknown> | undefined>
  /** Configures the sandbox again; called after each test. */
  reset(): Promise<void>
}

export async function openCallBench(): Promise<CallBench> {
  const bench = await openWorkbench()
  let server: FaultServer | undefined
  return {
    bench,
    call: (...args) => bench.run('call', ...args),
    async serve(...answers) {
      await server?.close().catch(() => {})
      server = await faultServer(...answers)
      bench.configure({ account: [`baseUrl: ${server.url}`] })
      return server
    },
    async entered() {
      const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
      const { rows } = await sql<Record<string, unknown>>`
        select operation, asked_by, arguments, body, state, status, code, tracking_id, reason,
          ended_at is not null as ended from callsheet.calls order by id desc limit 1`.execute(
        warehouse.db,
      )
      await warehouse.close()
      return rows[0]
    },
    async reset() {
      await server?.close().catch(() => {})
      server = undefined
      bench.configure()
    },
  }
}
