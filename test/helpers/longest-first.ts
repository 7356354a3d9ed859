import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, longest first: begun last, one of them would leave a core idle at the end. */
const LONGEST = [
  'test/proof/kill.lane.test.ts',
  'test/sim/sim.lane.test.ts',
  'test/proof/sockets.lane.test.ts',
  'test/proof/crash.lane.test.ts',
  'test/sim/planted.lane.test.ts',
  'test/proof/kill-archive.lane.test.ts',
  'test/proof/kill-login.lane.test.ts',
  'test/scenario/faults.lane.test.ts',
  'test/scenario/whiteboards.test.ts',
  'test/sandbox/server/truth.lane.test.ts',
  'test/scenario/truth.test.ts',
  'test/review/stopped-run.lane.test.ts',
  'test/cli/login.lane.test.ts',
  'test/scenario/evidence-killed.lane.test.ts',
  'test/scenario/time-zones.lane.test.ts',
]

/** The longest files first, all others in the order that vitest finds best. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return place < 0 ? LONGEST.length : place
    }
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
