import { z } from 'zod'
import { DEFAULT_DATABASE } from './default-database.ts'
import { flag, orNull, path, secret, shortName, whole } from './fields.ts'

const pool = whole(2, 100)
  .default(6)
  .describe('Maximum number of connections per process, plus one that renews the lease.')

const allowUnverified = flag(
  false,
  'true: a database across the network may be spoken to without a verified certificate.',
)

const backend = z
  .enum(['postgres', 'citus', 'cockroachdb'])
  .default('postgres')
  .describe(
    'Which statements the queue (pg-boss) uses; Callsheet has been tried on postgres alone.',
  )

export const databaseSettings = z
  .strictObject({
    url: orNull(
      secret(),
      'URL of Postgres 15 or newer; null: start an embedded one, enough for one machine.',
    ),
    directory: orNull(
      path(),
      'Data folder of the embedded Postgres; null: postgres in the state directory.',
    ),
    pool,
    allowUnverified,
    backend,
  })
  .describe('The database.')

export const moreDatabases = z
  .record(
    shortName().refine((name) => name !== DEFAULT_DATABASE, {
      error: `another name than ${DEFAULT_DATABASE}, which is the setting database`,
    }),
    z.strictObject({
      url: secret().describe('URL of Postgres 15 or newer.'),
      pool,
      allowUnverified,
      backend,
    }),
  )
  .describe('More databases by name, for the accounts whose database names one.')
