import { globSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { InputOptions, OutputOptions, Plugin } from 'rolldown'

/** Started by their names, which lie beside whoever starts them. */
const THREADS = {
  'hash-worker': 'src/audit/verify/hash-worker.ts',
}

/** Found by their folders, in which they lie beside the programs as well. */
const FOLDERS = '{migrations,sandbox/lists}/*.ts'

/**
 * Each program in a few files, with what it uses of the libraries that are hundreds of modules: what a process
 * holds of memory from its start is mostly modules. All other libraries stay what an installation has of
 * them, above all those that meet the network.
 */
export function programs(input: Record<string, string>, dir: string): ProgramOptions {
  const cwd = import.meta.dirname
  const found = globSync(FOLDERS, { cwd }).map((path) => [path.replace(/\.ts$/, ''), path])
  return {
    cwd,
    input: { ...input, ...THREADS, ...Object.fromEntries(found) },
    platform: 'node',
    logLevel: 'warn',
    plugins: [pageScripts(cwd)],
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

/** The scripts of pages lie beside the programs as they are: they read them and put them into pages. */
function pageScripts(cwd: string): Plugin {
  return {
    name: 'page-scripts',
    generateBundle() {
      for (const path of globSync('src/{report,audit}/page/browser/*.js', { cwd }))
        this.emitFile({
          type: 'asset',
          fileName: `browser/${basename(path)}`,
          source: readFileSync(join(cwd, path)),
        })
    },
  }
}

export type ProgramOptions = InputOptions & { output: OutputOptions }

const BUNDLED = /^(?:kysely|yaml|zod)(?:\/|$)/

/** The package's programs. */
export const packaged = {
  callsheet: 'src/cli/main.ts',
  sandbox: 'sandbox/server/main.ts',
} as const

/** `npm run build` */
export default programs(packaged, 'dist')
