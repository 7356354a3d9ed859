import { existsSync } from 'node:fs'
import { catalog } from '../../account/catalog.ts'
import { environment } from '../../config/environment.ts'
import { evidenceKey } from '../../config/evidence-key.ts'
import { loadConfig } from '../../config/load-config.ts'
import { tokenKey } from '../../config/token-key.ts'
import { readSigningKey } from '../../evidence/log/signing-key.ts'
import { asOneWord, calledAs } from '../frame/called-as.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { writeConfiguration, writeSchema } from './write-configuration.ts'

/** Writes a short configuration if there is none, makes the keys, and says what to do next. */
export async function initialise({ output }: Context, options: CommonOptions): Promise<number> {
  const path = options.config ?? environment().CALLSHEET_CONFIG ?? 'config.yaml'
  const made = !existsSync(path)
  if (made) writeConfiguration(path)
  const { config, file } = loadConfig({ path, ...catalog, environment: environment() })
  const schema = writeSchema(path)
  tokenKey(config)
  const { pem, source } = evidenceKey(config)
  const { fingerprint } = readSigningKey(pem, source).publicKey
  output.line(made ? `made ${file}` : `${file} is there already, and left as it is`)
  if (schema !== undefined) output.line(`made ${schema}, by which editors check it`)
  output.line(`the key that signs the evidence: ${source}`)
  output.line(`its fingerprint:                 ${fingerprint}`)
  const next = nextSteps(options)
  output.line('\nNext:')
  for (const step of next) output.line(`  ${step}`)
  output.result({ config: file, made, key: { source, fingerprint }, next })
  return 0
}

function nextSteps({ config }: CommonOptions): string[] {
  const named = config === undefined ? '' : ` --config ${asOneWord(config)}`
  return [
    'note the fingerprint in another place: whoever checks the evidence needs it',
    'keep a copy of the key; without it no head can follow those that it signed',
    `fill in the account in the configuration, then: ${calledAs('callsheet')} doctor${named}`,
  ]
}
