import type { Command } from 'commander'
import { catalog } from '../account/catalog.ts'
import { configJsonSchema } from '../config/json-schema.ts'
import { defineCommand, type Runner } from './frame/command.ts'

export function configSchemaCommand(run: Runner): Command {
  return defineCommand('config-schema', 'Print the JSON schema of the configuration, for editors', [
    'config-schema > config.schema.json',
  ]).action((options: object) =>
    run(options, async () => {
      process.stdout.write(configJsonSchema(catalog))
      return 0
    }),
  )
}
