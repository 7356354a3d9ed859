import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { packaged, programs } from '../../rolldown.config.ts'

/** The programs that tests start as processes, by name: those of the package, and some for tests. */
export const PROGRAMS = {
  ...packaged,
  /** Preloaded into one of the programs below; listens at its failpoints. */
  points: 'test/proof/kill/at-points.ts',
  append: 'test/helpers/append-child.ts',
  erase: 'test/erasure/erase-child.ts',
  prune: 'test/scenario/prune-child.ts',
} as const

/** The paths of the bundled programs. */
export type Bundled<T> = { [Name in keyof T]: string }

export type Programs = Bundled<typeof PROGRAMS>

/**
 * Bundles programs like the package's, so that tests run the released form. The folder is like that of an
 * installed package, with the libraries and files that come with the programs.
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
