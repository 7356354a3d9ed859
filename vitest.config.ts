import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'

const LANES = ['test/**/*.lane.test.ts', 'test/scenario/*.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Files share nothing but what they import, and each leaves the process as it found it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Whole nights of an account, and the lanes, which take minutes each: `npm run proof:small` runs them.
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: LANES,
        },
      },
      {
        extends: true,
        test: { name: 'lanes', include: LANES, testTimeout: 300_000 },
      },
    ],
  },
})
