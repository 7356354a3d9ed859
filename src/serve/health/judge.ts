import { type Cause, nameOfCause } from '../../core/define/cause.ts'
import { judgeArchive, judgeErasures, judgeEvidence } from './archive-causes.ts'
import { type FoundCause, inOrder, levelOf } from './causes.ts'
import type { HealthFacts, InstallationFacts } from './facts.ts'
import { judgeJobs } from './job-causes.ts'
import {
  judgeDatabase,
  judgeLogin,
  judgeQuotas,
  judgeRefused,
  judgeSetAside,
  judgeVolume,
  judgeWaitingDrops,
} from './service-causes.ts'
import { judgeWorks } from './work-causes.ts'

/**
 * Returns the causes of an account's health, red first; empty if the account is healthy. A pure function. No
 * cause contains a secret, personal data or texts of the service.
 */
export function judgeHealth(facts: HealthFacts, nowMs: number): Cause[] {
  const found = [
    judgeDatabase,
    // Precedes `judgeJobs`: both report an ended login, and the merged text begins with the first sentence.
    judgeLogin,
    judgeJobs,
    judgeWaitingDrops,
    judgeRefused,
    judgeArchive,
    judgeErasures,
  ]
    .concat([judgeEvidence, judgeQuotas, judgeSetAside, judgeVolume, judgeWorks])
    .flatMap((judge) => judge(facts, nowMs))
  const causes = found.map((cause) => ({ ...cause, account: facts.account }))
  return inOrder([...Map.groupBy(causes, nameOfCause).values()].flatMap(asOne))
}

/** Merges the findings of several rules about the same cause. */
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

/** Rounds down, so that a value below the limit does not look equal to it. */
function gigabytes(bytes: number): string {
  return (Math.floor(bytes / (GB / 10)) / 10).toFixed(1)
}

/** A decimal gigabyte, as disks are sold. */
const GB = 1e9
