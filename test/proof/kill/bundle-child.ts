import { join } from 'node:path'
import { build } from 'rolldown'

/** The programs of children, and what they load before. */
export interface Program {
  points: string
  child: string
  flow: string
}

const bundled = new Map<string, Promise<Program>>()

/**
 * The child's program in a few files, made of the same sources once for each directory: a child lives for
 * half a second, most of which would be the looking up of a thousand modules.
 */
export function bundleChild(directory: string): Promise<Program> {
  const known = bundled.get(directory) ?? bundle(join(directory, 'program'))
  bundled.set(directory, known)
  return known
}

async function bundle(dir: string): Promise<Program> {
  await build({
    input: [
      ...['at-points', 'child', 'flow-child'].map((name) =>
        join(import.meta.dirname, `${name}.ts`),
      ),
      // A thread's program is looked for beside whoever starts it.
      join(import.meta.dirname, '../../../src/archive/small-files-worker.ts'),
    ],
    platform: 'node',
    // Nothing is left out or made shorter, so that what is killed is what there is.
    treeshake: false,
    logLevel: 'silent',
    output: {
      dir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
  })
  const path = (name: string): string => join(dir, `${name}.mjs`)
  return { points: path('at-points'), child: path('child'), flow: path('flow-child') }
}
