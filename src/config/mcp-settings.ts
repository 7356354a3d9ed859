import { z } from 'zod'
import { orNull, secret } from './fields.ts'

export const mcpSettings = z
  .strictObject({
    user: z
      .string({ error: 'the name of a database role' })
      .min(1)
      .max(63)
      .default('callsheet_mcp')
      .describe('Database role that may read the schema report and nothing else.'),
    password: orNull(secret(), 'Its password: env:NAME or file:path.'),
  })
  .describe('The login of callsheet mcp to the same database.')
