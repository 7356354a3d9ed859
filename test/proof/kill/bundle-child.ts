import { join } from 'node:path'
import { build } from 'rolldown'

/** The child's program, and what it loads before it. */
export interface Program {
  points: string
  child: string
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
      ...['at-points', 'child'].map((name) => join(import.meta.dirname, `${name}.ts`)),
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
  return { points: join(dir, 'at-points.mjs'), child: join(dir, 'child.mjs') }
}
