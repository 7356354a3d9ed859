import { sql } from 'kysely'
import { connect } from '../../src/warehouse/connect.ts'
import { type Answer, type FaultServer, faultServer } from '../api/fault-server.ts'
import { type Ended, openWorkbench, type Workbench } from './workbench.ts'

/** `callsheet call` beside a sandbox, or a server that says what a test wants. */
export interface CallBench {
  bench: Workbench
  call(...args: string[]): Promise<Ended>
  /** Lets the account call this server; tokens come from the sandbox. */
  serve(...answers: Answer[]): Promise<FaultServer>
  /** What the book of calls says of the last one. */
  entered(): Promise<Record<string, unknown> | undefined>
  /** The sandbox again, after each test. */
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
