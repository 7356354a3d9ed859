import { z } from 'zod'
import type { JobDefaults } from './fields.ts'
import { configSchema } from './schema.ts'

/** The configuration's JSON schema, by which editors complete and check `config.yaml`. */
export function configJsonSchema(
  jobs: readonly JobDefaults[],
  reportJobs: readonly JobDefaults[],
): string {
  const schema = z.toJSONSchema(configSchema(jobs, reportJobs), {
    io: 'input',
    unrepresentable: 'any',
  })
  return `${JSON.stringify({ ...schema, title: 'Callsheet configuration' }, null, 2)}\n`
}
