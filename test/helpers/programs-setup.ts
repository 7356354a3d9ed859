import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundlePrograms, PROGRAMS, type Programs } from './programs.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    programs: Programs
  }
}

/**
 * Makes the programs that tests start as processes. The many short processes share what they compile, since
 * most of their time would be the reading of sources.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const compiled = mkdtempSync(join(tmpdir(), 'callsheet-compiled-'))
  process.env.NODE_COMPILE_CACHE = compiled
  const remove = (): void => rmSync(compiled, { recursive: true, force: true })
  try {
    project.provide('programs', await bundlePrograms(join(compiled, 'package'), PROGRAMS))
  } catch (error) {
    remove()
    throw error
  }
  return remove
}
