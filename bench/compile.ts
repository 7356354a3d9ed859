import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Compiles a project of this repository with its own compiler, to where the project says. */
export function compile(project: 'tsconfig.build.json' | 'tsconfig.bench.json'): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
  })
}
