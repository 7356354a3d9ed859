import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { catalog } from '../../account/catalog.ts'
import { configJsonSchema } from '../../config/json-schema.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { packageFile } from '../frame/own-files.ts'
import { shortConfiguration } from './short-configuration.ts'

/**
 * Writes a short configuration, never over one that somebody else makes meanwhile. Its first line leads
 * editors to the schema beside it.
 */
export function writeConfiguration(path: string): void {
  const schema = basename(schemaBeside(path))
  const text = shortConfiguration({ schema, example: packageFile('config.example.yaml') })
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(path)
    throw code === 'ENOENT' && !existsSync(dirname(path)) ? noFolder(path) : error
  }
}

/**
 * Puts the schema of this version beside the configuration, in place of one of an earlier version; a file of
 * that name that is no schema of ours stays, and a folder that only others may write to has none. Returns its
 * path if it was written.
 */
export function writeSchema(configuration: string): string | undefined {
  const path = schemaBeside(configuration)
  const text = configJsonSchema(catalog)
  if (existsSync(path)) {
    const before = readFileSync(path, 'utf8')
    if (before === text || !before.includes(OURS)) return undefined
  }
  try {
    writeFileSync(path, text)
    return path
  } catch (error) {
    if (NOT_OURS.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

function schemaBeside(configuration: string): string {
  return join(dirname(configuration), 'config.schema.json')
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

const NOT_OURS = new Set(['EACCES', 'EPERM', 'EROFS'])
const OURS = '"title": "Callsheet configuration"'
