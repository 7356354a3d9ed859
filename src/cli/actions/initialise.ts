import { constants, copyFileSync, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { environment } from '../../config/environment.ts'
import { evidenceKey } from '../../config/evidence-key.ts'
import { loadConfig } from '../../config/load-config.ts'
import { tokenKey } from '../../config/token-key.ts'
import { ConfigurationError } from '../../core/errors/errors.ts'
import { readSigningKey } from '../../evidence/signing-key.ts'
import { jobs, reportJobs } from '../catalog/catalog.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { packageFile } from '../frame/own-files.ts'

/** Writes the configuration from the example if there is none, makes the keys, and says what to do next. */
export async function initialise({ output }: Context, options: CommonOptions): Promise<number> {
  const path = options.config ?? environment().CALLSHEET_CONFIG ?? 'config.yaml'
  const made = !existsSync(path)
  if (made) copyExample(path)
  const { config, file } = loadConfig({ path, jobs, reportJobs, environment: environment() })
  tokenKey(config)
  const { pem, source } = evidenceKey(config)
  const { fingerprint } = readSigningKey(pem, source).publicKey
  output.line(
    made ? `made ${file} from the example` : `${file} is there already, and left as it is`,
  )
  output.line(`the key that signs the evidence: ${source}`)
  output.line(`its fingerprint:                 ${fingerprint}`)
  output.line('\nNext:')
  for (const step of NEXT) output.line(`  ${step}`)
  output.result({ config: file, made, key: { source, fingerprint }, next: NEXT })
  return 0
}

/** Never over one that somebody else makes meanwhile. */
function copyExample(path: string): void {
  try {
    copyFileSync(packageFile('config.example.yaml'), path, constants.COPYFILE_EXCL)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(path)
    throw code === 'ENOENT' && !existsSync(dirname(path)) ? noFolder(path) : error
  }
}

function isThere(path: string): ConfigurationError {
  return new ConfigurationError('configuration_not_made', {
    tried: `Making the configuration ${path}`,
    expected: 'no file of that name',
    came: 'something that is there and cannot be read, such as a link that leads nowhere',
    todo: 'look at it and move it away, or name another file with --config',
  })
}

function noFolder(path: string): ConfigurationError {
  return new ConfigurationError('configuration_folder_missing', {
    tried: `Making the configuration ${path}`,
    expected: 'a folder for it',
    came: `there is no folder ${dirname(path)}`,
    todo: 'make the folder, or name another file with --config',
  })
}

const NEXT = [
  'note the fingerprint in another place: whoever checks the evidence needs it',
  'keep a copy of the key; without it no head can follow those that it signed',
  'fill in the account in the configuration, then: callsheet doctor',
]
