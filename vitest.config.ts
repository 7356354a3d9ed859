import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Files share nothing but what they import, and each leaves the process as it found it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // The lanes take minutes each: `npm run proof:small` runs them.
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.lane.test.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'lanes', include: ['test/**/*.lane.test.ts'], testTimeout: 300_000 },
      },
    ],
  },
})
