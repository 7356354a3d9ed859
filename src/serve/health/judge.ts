import { type Cause, nameOfCause } from '../../core/define/cause.ts'
import { judgeArchive, judgeErasures, judgeEvidence } from './archive-causes.ts'
import type { HealthFacts, InstallationFacts } from './facts.ts'
import { judgeJobs } from './job-causes.ts'
import { type FoundCause, inOrder, levelOf } from './order.ts'
import { judgeRestored } from './restore-causes.ts'
import {
  judgeLogin,
  judgeQuotas,
  judgeRefused,
  judgeSetAside,
  judgeSilence,
  judgeVolume,
  judgeWaitingDrops,
} from './service-causes.ts'

/**
 * Why an account is not well, the red causes first; empty when it is well. The same facts at the same instant
 * give the same causes. No cause holds a secret, a person's data or words of the service.
 */
export function judgeHealth(facts: HealthFacts, nowMs: number): Cause[] {
  const found = [
    judgeRestored,
    // An ended login says what it is, before the jobs that it blocks.
    judgeLogin,
    judgeJobs,
    judgeWaitingDrops,
    judgeRefused,
    judgeArchive,
    judgeErasures,
  ]
    .concat([judgeEvidence, judgeQuotas, judgeSetAside, judgeVolume, judgeSilence])
    .flatMap((judge) => judge(facts, nowMs))
  const causes = found.map((cause) => ({ ...cause, account: facts.account }))
  return inOrder([...Map.groupBy(causes, nameOfCause).values()].flatMap(asOne))
}

/** What several rules found of the same cause. */
function asOne(same: readonly Cause[]): Cause[] {
  const [first] = same
  if (first === undefined || same.length === 1) return [...same]
  return [
    {
      ...first,
      level: levelOf(same) === 'red' ? 'red' : 'amber',
      sentence: same.map(({ sentence }) => sentence).join(' '),
      sinceMs: Math.min(...same.map(({ sinceMs }) => sinceMs)),
      quiet: same.every(({ quiet }) => quiet !== undefined) ? first.quiet : undefined,
    },
  ]
}

/** The same of what all accounts share. */
export function judgeInstallation(
  { settings: { diskFreeGb }, disks }: InstallationFacts,
  nowMs: number,
): Cause[] {
  const low = disks.filter(({ freeBytes }) => freeBytes < diskFreeGb * GB)
  const causes = low.map(
    ({ directories, freeBytes }): FoundCause => ({
      code: 'disk_low',
      subject: directories.join(', '),
      level: freeBytes < GB ? 'red' : 'amber',
      sentence: `The disk of ${directories.join(' and ')} has ${gigabytes(freeBytes)} GB free.`,
      todo: 'Free some space, or give the directory a larger disk.',
      sinceMs: nowMs,
    }),
  )
  return inOrder(causes.map((cause) => ({ ...cause, account: undefined })))
}

/** Rounded down, so that no figure looks like the limit that it is below. */
function gigabytes(bytes: number): string {
  return (Math.floor(bytes / (GB / 10)) / 10).toFixed(1)
}

/** Decimal, as disks are sold. */
const GB = 1e9
