import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { ConfigurationError } from '../core/errors/errors.ts'
import { readYaml, type Yaml } from './read-yaml.ts'

/**
 * The configuration with the accounts of its `accountsDirectory` after its own. Each file there that ends in
 * `.yaml` or `.yml` holds one, in the order of the names. Places of their settings name their own file.
 */
export function withAccountFiles(
  yaml: Yaml,
  folder: string,
  shown: (path: string) => string,
): Yaml {
  const { accountsDirectory, accounts: own = [] } = (yaml.value ?? {}) as Partial<
    Record<string, unknown>
  >
  if (typeof accountsDirectory !== 'string' || !Array.isArray(own)) return yaml
  const directory = resolve(folder, accountsDirectory)
  const files = filesIn(directory, shown).map((path) => readYaml(readFileSync(path), shown(path)))
  const fileOf = (path: readonly PropertyKey[]): [Yaml, readonly PropertyKey[]] => {
    const [top, index, ...rest] = path
    const file =
      top === 'accounts' && typeof index === 'number' ? files[index - own.length] : undefined
    return file === undefined ? [yaml, path] : [file, rest]
  }
  return {
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
      .filter((path) => statSync(path).isFile())
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    throw new ConfigurationError('accounts_unreadable', {
      tried: `Reading the accounts in ${shown(directory)} (accountsDirectory)`,
      expected: 'a folder with a file for each account',
      came: code === 'ENOENT' ? 'there is no such folder' : `it cannot be read (${code})`,
    })
  }
}
