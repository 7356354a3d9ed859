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
 * Bundles the programs that tests start as processes. They share a compile cache, because short processes
 * would spend most of their time on compiling.
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
