import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Files share nothing but what they import, and each leaves the process as it found it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
