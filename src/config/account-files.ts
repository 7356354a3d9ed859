import { readdirSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { ConfigurationError } from '../core/errors.ts'
import {
  MOST_SETTINGS_BYTES,
  REGULAR_FILE,
  readSmallFile,
  whyNotRead,
} from '../core/read-small-file.ts'
import { readYaml, type Yaml } from './read-yaml.ts'

/**
 * Returns the configuration with the accounts of its `accountsDirectory` after its own: one for each file
 * that ends in `.yaml` or `.yml` and is not hidden, in name order. Errors in their settings name their own
 * file; `files` are the paths.
 */
export function withAccountFiles(
  yaml: Yaml,
  folder: string,
  shown: (path: string) => string,
): Yaml & { files: readonly string[] } {
  const { accountsDirectory, accounts: own = [] } = (yaml.value ?? {}) as Partial<
    Record<string, unknown>
  >
  if (typeof accountsDirectory !== 'string' || !Array.isArray(own)) return { ...yaml, files: [] }
  const directory = resolve(folder, accountsDirectory)
  const paths = filesIn(directory, shown)
  const files = paths.map((path) => readAccount(path, shown(path)))
  const fileOf = (path: readonly PropertyKey[]): [Yaml, readonly PropertyKey[]] => {
    const [top, index, ...rest] = path
    const file =
      top === 'accounts' && typeof index === 'number' ? files[index - own.length] : undefined
    return file === undefined ? [yaml, path] : [file, rest]
  }
  return {
    files: paths,
    value: { ...(yaml.value as object), accounts: [...own, ...files.map(({ value }) => value)] },
    place(path) {
      const [file, rest] = fileOf(path)
      return file.place(rest)
    },
    placeOfKey(path, key) {
      const [file, rest] = fileOf(path)
      return file.placeOfKey(rest, key)
    },
  }
}

function filesIn(directory: string, shown: (path: string) => string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => ['.yaml', '.yml'].includes(extname(name)) && !name.startsWith('.'))
      .toSorted()
      .map((name) => join(directory, name))
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    throw new ConfigurationError('accounts_unreadable', {
      tried: `Reading the accounts in ${shown(directory)} (accountsDirectory)`,
      expected: 'a folder with a YAML file for each account',
      came: code === 'ENOENT' ? 'the folder does not exist' : `the folder cannot be read (${code})`,
      todo:
        code === 'ENOENT'
          ? 'create the folder, or correct accountsDirectory'
          : 'make accountsDirectory a folder that this user can read',
    })
  }
}

/** Reads an account. Refuses a file that is not regular: its account would be missing without notice. */
function readAccount(path: string, file: string): Yaml {
  let bytes: Buffer
  try {
    bytes = readSmallFile(path, MOST_SETTINGS_BYTES)
  } catch (error) {
    throw new ConfigurationError('accounts_unreadable', {
      tried: `Reading the account in ${file} (accountsDirectory)`,
      expected: REGULAR_FILE,
      came: whyNotRead(error),
      todo:
        'make the file a regular one that this user can read, or rename the file without .yaml ' +
        'or .yml at the end',
    })
  }
  return readYaml(bytes, file)
}
