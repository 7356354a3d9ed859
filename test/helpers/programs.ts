import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { packaged, programs } from '../../rolldown.config.ts'

/** What tests start as processes of their own, by name: the package's programs, and more of ours. */
export const PROGRAMS = {
  ...packaged,
  /** Preloaded into one of those below, whose points it listens at. */
  points: 'test/proof/kill/at-points.ts',
  append: 'test/helpers/append-child.ts',
  erase: 'test/erasure/erase-child.ts',
  prune: 'test/scenario/prune-child.ts',
} as const

/** Where the programs of these names are, ready to be started. */
export type Bundled<T> = { [Name in keyof T]: string }

export type Programs = Bundled<typeof PROGRAMS>

/**
 * Made as the package's are, so that what is tested is what there is, in a folder like that of an installed
 * package: the libraries lie there, and what comes with the programs.
 */
export async function bundlePrograms<T extends Record<string, string>>(
  directory: string,
  sources: T,
): Promise<Bundled<T>> {
  mkdirSync(directory, { recursive: true })
  for (const name of ['node_modules', 'package.json', 'config.example.yaml'])
    symlinkSync(join(import.meta.dirname, '..', '..', name), join(directory, name))
  const dir = join(directory, 'dist')
  await build(programs(sources, dir))
  const paths = Object.keys(sources).map((name) => [name, join(dir, `${name}.js`)])
  return Object.fromEntries(paths) as Bundled<T>
}
