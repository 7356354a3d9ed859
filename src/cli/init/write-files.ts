import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ConfigurationError } from '../../core/errors.ts'
import { makePrivateDirectory } from '../../core/private-directory.ts'
import { packageFile } from '../frame/own-files.ts'
import { SECRETS, type Setup, secretFiles, shortConfiguration } from './configuration.ts'

/**
 * Writes a short configuration. Throws if something exists at the path, such as a broken link. The first line
 * of the configuration points editors to the schema in the same folder.
 */
export function writeConfiguration(path: string): void {
  try {
    writeFileSync(path, textOf(path), { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(path)
    throw code === 'ENOENT' && !existsSync(dirname(path)) ? noFolder(path) : error
  }
}

/** Returns the secret files that a setup would replace. */
export function replacedSecrets(path: string, setup: Setup): string[] {
  return secretFiles(setup)
    .map((file) => join(dirname(path), file.path))
    .filter((file) => existsSync(file))
}

/** Writes each secret to a file of mode 0600, and then the configuration that names these files. */
export function writeSetup(path: string, setup: Setup): void {
  const folder = dirname(path)
  makePrivateDirectory(join(folder, SECRETS))
  for (const secret of secretFiles(setup)) replace(join(folder, secret.path), `${secret.text}\n`)
  replace(path, textOf(path, setup))
}

/**
 * Excludes secrets and generated files from git: writes a `.gitignore` if none exists, or returns the lines
 * that the existing one lacks.
 */
export function ignoreInGit(path: string): string[] {
  const file = join(dirname(path), '.gitignore')
  const wanted = [`/${basename(path)}`, `/${SECRETS}/`, '/.callsheet/', '/archive/', '/out/']
  if (!existsSync(file)) {
    writeFileSync(file, `${wanted.join('\n')}\n`, { flag: 'wx' })
    return []
  }
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  const bare = new Set(lines.map((line) => line.trim().replaceAll(/^\/|\/$/g, '')))
  return wanted.filter((line) => !bare.has(line.replaceAll(/^\/|\/$/g, '')))
}

/**
 * Writes this version's schema beside the configuration, replacing an earlier version. Leaves a file of this
 * name unchanged if it is not a Callsheet schema, and skips a folder that is not writable. Returns the name
 * of the file if it wrote the schema.
 */
export function writeSchema(configuration: string, text: string): string | undefined {
  const path = schemaBeside(configuration)
  if (existsSync(path)) {
    const before = readFileSync(path, 'utf8')
    if (before === text || !before.includes(OURS)) return undefined
  }
  try {
    writeFileSync(path, text)
    return basename(path)
  } catch (error) {
    if (NOT_OURS.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** Writes a file under a temporary name and renames it once complete. */
function replace(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function textOf(path: string, setup?: Setup): string {
  const example = packageFile('config.example.yaml')
  return shortConfiguration({ schema: basename(schemaBeside(path)), example }, setup)
}

function schemaBeside(configuration: string): string {
  return join(dirname(configuration), 'config.schema.json')
}

function isThere(path: string): ConfigurationError {
  return new ConfigurationError('configuration_not_made', {
    tried: `Creating the configuration ${path}`,
    came: 'the path already exists and cannot be read, for example because it is a broken link',
    todo: 'move the existing file or link elsewhere, or choose another file with --config',
  })
}

export function noFolder(path: string): ConfigurationError {
  return new ConfigurationError('configuration_folder_missing', {
    tried: `Creating the configuration ${path}`,
    came: `the folder ${dirname(path)} does not exist`,
    todo: 'create the folder, or choose another file with --config',
  })
}

const NOT_OURS = new Set(['EACCES', 'EPERM', 'EROFS'])
const OURS = '"title": "Callsheet configuration"'
