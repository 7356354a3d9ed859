import { isAbsolute } from 'node:path'
import type { InputOptions, OutputOptions } from 'rolldown'

/** Started by their names, which lie beside whoever starts them. */
const THREADS = {
  'hash-worker': 'src/engine/verify/hash-worker.ts',
}

/**
 * Each program in a few files, with what it uses of the libraries that are hundreds of modules: what a process
 * holds of memory from its start is mostly modules. All other libraries stay what an installation has of
 * them, above all those that meet the network.
 */
export function programs(input: Record<string, string>, dir: string): ProgramOptions {
  return {
    cwd: import.meta.dirname,
    input: { ...input, ...THREADS },
    platform: 'node',
    logLevel: 'warn',
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !BUNDLED.test(id),
    output: {
      dir,
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  }
}

export type ProgramOptions = InputOptions & { output: OutputOptions }

const BUNDLED = /^(?:kysely|yaml|zod)(?:\/|$)/

/** The package's programs. */
export const packaged = {
  callsheet: 'src/cli/main.ts',
  sandbox: 'src/sandbox/server/main.ts',
} as const

/** `npm run build` */
export default programs(packaged, 'dist')
