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
  const path = RUNS_SOURCES ? '../../sandbox/server/main.ts' : './sandbox.js'
  return fileURLToPath(new URL(path, import.meta.url))
}
