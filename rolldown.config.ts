import { globSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { build, type InputOptions, type OutputOptions, type Plugin } from 'rolldown'
import { BUILT_IN } from './.ci/sbom.ts'

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
    plugins: [pageScripts(cwd), licenses(cwd)],
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

/** The licenses of what an installation has in our files only. */
function licenses(cwd: string): Plugin {
  const textOf = (name: string): string => {
    const [file = ''] = globSync(`node_modules/${name}/LICENSE*`, { cwd })
    return `${name}\n\n${readFileSync(join(cwd, file), 'utf8')}`
  }
  return {
    name: 'licenses',
    generateBundle() {
      const source = BUILT_IN.map(textOf).join('\n\n')
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source })
    },
  }
}

/** The scripts of pages lie beside the programs, which read them and put them into pages. */
function pageScripts(cwd: string): Plugin {
  return {
    name: 'page-scripts',
    async generateBundle() {
      const emit = (fileName: string, source: string): void =>
        void this.emitFile({ type: 'asset', fileName: `browser/${fileName}`, source })
      for (const path of globSync('src/report/{files,page}/browser/*.js', { cwd }))
        emit(basename(path), readFileSync(join(cwd, path), 'utf8'))
      emit('verify-bundle.js', await verifyScript())
    },
  }
}

/**
 * The script of the page that checks bundles: the verifier of the program, with what a browser has in place
 * of Node. It is not made small, so that whoever gets the page can read it.
 */
export async function verifyScript(): Promise<string> {
  const inPage = (name: string): string => join(import.meta.dirname, 'src/audit/page/browser', name)
  const { output } = await build({
    cwd: import.meta.dirname,
    input: inPage('main.ts'),
    platform: 'browser',
    logLevel: 'silent',
    resolve: { alias: { 'node:crypto': inPage('crypto.ts') } },
    transform: { target: 'es2023', inject: { Buffer: [inPage('buffer.ts'), 'PageBuffer'] } },
    external: (id) => id.startsWith('node:') && id !== 'node:crypto',
    write: false,
    output: { format: 'esm', comments: { legal: true } },
  })
  const [script] = output
  const left = [...script.imports, ...script.dynamicImports]
  if (output.length > 1 || left.length > 0)
    throw new Error(`The page would need what no browser has: ${left.join(', ')}`)
  return `(() => {\n'use strict'\n${script.code.replace(/^export .*$/gm, '')}})()\n`
}

export type ProgramOptions = InputOptions & { output: OutputOptions }

/**
 * With the SDK of `callsheet mcp` comes only what its server uses: an installation of it would bring 78
 * packages, most for clients and servers on the web.
 */
const BUNDLED = new RegExp(`^(?:${['kysely', 'yaml', 'zod', ...BUILT_IN].join('|')})(?:/|$)`)

/** The package's programs. */
export const packaged = {
  callsheet: 'src/cli/main.ts',
  sandbox: 'sandbox/server/main.ts',
} as const

/** `npm run build` */
export default programs(packaged, 'dist')
