import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, slowest first: started last, one of them would leave a core idle at the end. */
const LONGEST = [
  'test/sim/sim.lane.test.ts',
  'test/readings/together.lane.test.ts',
  'test/proof/kill.lane.test.ts',
  'test/cli/serve/night.lane.test.ts',
  'test/readings/matrix.lane.test.ts',
  'test/cli/serve.lane.test.ts',
  'test/sim/planted.lane.test.ts',
  'test/audit/hostile-bundles.lane.test.ts',
  'test/reports/quality-simulation.lane.test.ts',
  'test/erasure/cut-off.lane.test.ts',
  'test/scenario/verified-nights.lane.test.ts',
  'test/audit/verify/stated-columns.lane.test.ts',
  'test/readings/at-once.lane.test.ts',
  'test/resources/add-a-resource.lane.test.ts',
  'test/proof/kill-archive.lane.test.ts',
  'test/api/quota-use.lane.test.ts',
  'test/evidence/catalogue/catalogue.lane.test.ts',
  'test/erasure/limits.lane.test.ts',
  'test/scenario/faults.lane.test.ts',
  'test/proof/crash.lane.test.ts',
  'test/cli/apply.lane.test.ts',
  'test/erasure/meanwhile.lane.test.ts',
  'test/scenario/time-zones.lane.test.ts',
  'test/proof/kill-flows.lane.test.ts',
  'test/proof/sockets.lane.test.ts',
  'test/scenario/evidence-killed.lane.test.ts',
]

/** Runs the slowest files first, and all others in vitest's own order. */
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
