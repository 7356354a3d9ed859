import { fileURLToPath } from 'node:url'

/** Whether the sources run, as in a clone. A package runs programs built from them, all in one folder. */
export const RUNS_SOURCES = import.meta.url.endsWith('.ts')

/** Returns the path of a file in the package's root folder. */
export function packageFile(name: string): string {
  const up = RUNS_SOURCES ? '../../../' : '../'
  return fileURLToPath(new URL(`${up}${name}`, import.meta.url))
}

export function sandboxProgram(): string {
  if (RUNS_SOURCES) return packageFile('sandbox/server/main.ts')
  return fileURLToPath(new URL('./sandbox.js', import.meta.url))
}
