import type { TestProject } from 'vitest/node'
import { makeTemplate } from './make-template.ts'
import { startOlderServer } from './older-server.ts'
import { startThrowawayServer } from './throwaway-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    serverUrl: string
  }
}

/** Starts one server for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // `npm run proof` runs a part of the tests against another version.
  const programs = process.env.CALLSHEET_TEST_POSTGRES
  const server = await (programs === undefined
    ? startThrowawayServer()
    : startOlderServer(programs))
  try {
    await makeTemplate(server.url)
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('serverUrl', server.url)
  return () => server.stop()
}
