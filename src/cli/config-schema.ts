import type { Command } from 'commander'
import { defineCommand, type Runner } from './frame/command.ts'

export function configSchemaCommand(run: Runner): Command {
  return defineCommand('config-schema', 'Print the JSON Schema of the configuration file', [
    'config-schema > config.schema.json',
  ]).action((options: object) =>
    run(options, async () => {
      const { catalog } = await import('../account/catalog.ts')
      const { configJsonSchema } = await import('../config/json-schema.ts')
      process.stdout.write(configJsonSchema(catalog))
      return 0
    }),
  )
}
