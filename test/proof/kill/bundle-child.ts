import { join } from 'node:path'
import { type Bundled, bundlePrograms } from '../../helpers/programs.ts'

/** The programs of children, and what they load before. */
const SOURCES = {
  points: 'test/proof/kill/at-points.ts',
  child: 'test/proof/kill/child.ts',
  flow: 'test/proof/kill/flow-child.ts',
} as const

export type Program = Bundled<typeof SOURCES>

const bundled = new Map<string, Promise<Program>>()

/** Made once for each directory. */
export function bundleChild(directory: string): Promise<Program> {
  const known = bundled.get(directory) ?? bundlePrograms(join(directory, 'program'), SOURCES)
  bundled.set(directory, known)
  return known
}
