import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeTemplate } from './make-template.ts'
import { startOlderServer } from './older-server.ts'
import { bundlePrograms, PROGRAMS, type Programs } from './programs.ts'
import { startThrowawayServer } from './throwaway-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    serverUrl: string
    programs: Programs
  }
}

/**
 * One server for the whole run, with a migrated template that each test file clones. The many short processes
 * of the tests share what they compile, since most of their time would be the reading of sources.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const compiled = mkdtempSync(join(tmpdir(), 'callsheet-compiled-'))
  process.env.NODE_COMPILE_CACHE = compiled
  // `npm run proof` runs a part of the tests against another version.
  const programs = process.env.CALLSHEET_TEST_POSTGRES
  const server = await (programs === undefined
    ? startThrowawayServer()
    : startOlderServer(programs))
  const stop = async (): Promise<void> => {
    await server.stop()
    rmSync(compiled, { recursive: true, force: true })
  }
  try {
    await makeTemplate(server.url)
    project.provide('programs', await bundlePrograms(join(compiled, 'package'), PROGRAMS))
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('serverUrl', server.url)
  return stop
}
