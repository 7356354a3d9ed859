import { z } from 'zod'
import type { Catalog } from './fields.ts'
import { configSchema } from './schema.ts'

/** Returns the configuration's JSON schema, with which editors complete and check `config.yaml`. */
export function configJsonSchema(catalog: Catalog): string {
  const schema = z.toJSONSchema(configSchema(catalog), {
    io: 'input',
    unrepresentable: 'any',
  })
  return `${JSON.stringify({ ...schema, title: 'Callsheet configuration' }, null, 2)}\n`
}
