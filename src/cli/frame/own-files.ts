import { fileURLToPath } from 'node:url'

/** A clone runs its sources; the package has programs that are made of them, all in one folder. */
export const RUNS_SOURCES = import.meta.url.endsWith('.ts')

/** The path of a file that lies where the package begins. */
export function packageFile(name: string): string {
  const up = RUNS_SOURCES ? '../../../' : '../'
  return fileURLToPath(new URL(`${up}${name}`, import.meta.url))
}

/** The program of the sandbox. */
export function sandboxProgram(): string {
  if (RUNS_SOURCES) return packageFile('sandbox/server/main.ts')
  return fileURLToPath(new URL('./sandbox.js', import.meta.url))
}
