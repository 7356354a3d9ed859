import { z } from 'zod'
import { configSchema, type JobDefaults } from './schema.ts'

/** The configuration's JSON schema, by which editors complete and check `config.yaml`. */
export function configJsonSchema(jobs: readonly JobDefaults[]): string {
  const schema = z.toJSONSchema(configSchema(jobs), { io: 'input', unrepresentable: 'any' })
  return `${JSON.stringify({ ...schema, title: 'Callsheet configuration' }, null, 2)}\n`
}
