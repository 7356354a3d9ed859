import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'rolldown'

const ROOT = join(import.meta.dirname, '..', '..')

/** What tests start as processes of their own, by name. */
export const PROGRAMS = {
  callsheet: 'src/cli/main.ts',
  /** Preloaded into one of those below, whose points it listens at. */
  points: 'test/proof/kill/at-points.ts',
  append: 'test/helpers/append-child.ts',
  erase: 'test/erase/erase-child.ts',
  prune: 'test/scenario/prune-child.ts',
} as const

/** Where the programs of these names are, ready to be started. */
export type Bundled<T> = { [Name in keyof T]: string }

export type Programs = Bundled<typeof PROGRAMS>

/**
 * Each program in a few files, made of its sources once: hundreds of them are started, and two thirds of what
 * a short one takes would be the looking up of a thousand modules.
 */
export async function bundlePrograms<T extends Record<string, string>>(
  directory: string,
  sources: T,
): Promise<Bundled<T>> {
  const entries = Object.entries(sources)
  await build({
    input: Object.fromEntries(entries.map(([name, source]) => [name, join(ROOT, source)])),
    platform: 'node',
    // Nothing is left out or made shorter, so that what is tested is what there is.
    treeshake: false,
    logLevel: 'silent',
    plugins: [atHome],
    output: {
      dir: directory,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
  })
  const paths = entries.map(([name]) => [name, join(directory, `${name}.mjs`)])
  return Object.fromEntries(paths) as Bundled<T>
}

/** A module goes on finding what lies beside its source: threads' programs, examples, the manifest. */
const atHome: Plugin = {
  name: 'at-home',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null
    const file = id.split('?')[0] ?? id
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
      .replaceAll('import.meta.dirname', JSON.stringify(join(file, '..')))
  },
}
