import { openPools } from '../../account/open-pools.ts'
import { TOKEN_LIMITS } from '../../api/auth/authorities.ts'
import { createTokenEndpoint } from '../../api/auth/token-endpoint.ts'
import type { Clock } from '../../core/time/clock.ts'
import { connect } from '../../warehouse/connect.ts'
import { examineServer } from '../doctor/examine-database.ts'
import { attempt } from '../doctor/findings.ts'
import type { Checks } from './ask-setup.ts'

/** Returns the checks that `doctor` makes: credentials by one call, the database by connecting. */
export function liveChecks(clock: Clock): Checks {
  return {
    credentials: ({ accountId, ...credentials }) =>
      attempt('token', async () => {
        const pool = openPools()(credentials.authUrl, { connectTimeoutMs: 10_000, connections: 1 })
        try {
          const endpoint = createTokenEndpoint(credentials, { pool, clock }, TOKEN_LIMITS)
          const { scope } = await endpoint.grant('account_credentials', { account_id: accountId })
          const scopes = scope.length === 0 ? '' : `, with ${scope.length} scopes`
          return [{ check: 'token', state: 'ok', text: `the service granted a token${scopes}` }]
        } finally {
          await pool.destroy()
        }
      }),
    database: (url) =>
      attempt('database', async () => {
        const warehouse = connect({ url, poolSize: 1, statementTimeoutMs: 10_000 })
        try {
          await warehouse.ping()
          return await examineServer(warehouse)
        } finally {
          await warehouse.close()
        }
      }),
  }
}
