import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'
import { SlowestFiles } from './test/helpers/slowest-files.ts'

const DATABASE = ['test/**/*.db.test.ts']
/** Whole nights of an account, programs as processes, and what takes minutes. */
const LANES = ['test/**/*.lane.test.ts', 'test/scenario/*.test.ts']

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Vitest gives up polling after a second, which a busy machine may lose.
    expect: { poll: { timeout: 30_000 } },
    // By default one core stays idle.
    maxWorkers: '100%',
    // Files share nothing but what they import, and each leaves the process as it found it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SlowestFiles()],
    // `npm test` runs the first two, `npm run proof:small` the third.
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: ['test/**/*.test.ts'], exclude: [...DATABASE, ...LANES] },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: DATABASE,
          globalSetup: ['test/helpers/database-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'lanes',
          include: LANES,
          // They wait for programs, servers and timers: one more than there are cores leaves no core idle.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          globalSetup: ['test/helpers/database-setup.ts', 'test/helpers/programs-setup.ts'],
        },
      },
    ],
  },
})
