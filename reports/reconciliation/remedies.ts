import { withAccount } from '../../src/core/values/account-commands.ts'
import type { DayVerdict, StreamDay } from './verdict.ts'

/** What to do about a stream that does not balance. */
export interface Remedy {
  /** One or two sentences; empty if the stream balances or nothing was due. */
  todo: string
  /** The job to run, if nothing else is to do. Streams of several jobs can then share one command. */
  jobToRun?: string
  /** Whether there is nothing to do. */
  settled?: true
  /** The later run that has read the stream completely, if that settles it. */
  readBy?: number
}

interface Judged extends StreamDay, Pick<DayVerdict, 'verdict'> {
  account: string
  /** A run that began after the day and has read the stream completely. */
  readBy: number | undefined
}

/** Says what to do about a stream's day, with a command if one helps. */
export function remedyOf(judged: Judged): Remedy {
  const { todo, ...remedy } = remedyFor(judged)
  return { ...remedy, todo: withAccount(todo, judged.account) }
}

function remedyFor(judged: Judged): Remedy {
  const { account, run, job, list, stream, readBy, verdict } = judged
  const fixed = FIXED[verdict]
  if (fixed !== undefined) return fixed
  if (verdict === 'does not add up')
    return {
      todo: `${readAgain(judged)} If that does not help, run "callsheet verify --account ${account}".`,
    }
  if (readBy !== undefined)
    return { todo: `Nothing to do: run ${readBy} has read it since.`, settled: true, readBy }
  if (verdict === 'incomplete' && run?.guards.some((guard) => guard.stream === stream) === true)
    return {
      todo:
        `If the service deleted these rows, run "callsheet sync --approve ${run.id}". ` +
        'Otherwise do nothing: Callsheet keeps them.',
    }
  if (verdict === 'not allowed')
    return { todo: 'Run "callsheet status": it names the missing scope or feature.' }
  if (job === undefined) return { todo: `Sync the job that reads ${list}.` }
  if (verdict === 'incomplete' && judged.notRead === 0)
    return {
      todo: `Run "callsheet runs ${run?.id}" to see why, then "${syncing([job], account)}".`,
    }
  return { todo: `Run "${syncing([job], account)}".`, jobToRun: job }
}

/** Returns the command that runs these jobs, or all scheduled jobs if they are too many for a line. */
export function syncing(jobs: readonly string[], account: string): string {
  const named = jobs.length > MOST_JOBS ? '' : ` ${jobs.join(' ')}`
  return `callsheet sync${named} --account ${account}`
}

function readAgain({ job, list, account }: Judged): string {
  const of = job === undefined ? '' : ` ${job}`
  return `Read all of it again: "callsheet sync${of} --account ${account} --stream ${list}".`
}

export const LOW_VOLUME =
  'If people worked as usual, ask the service’s support why its lists lack records.'

const FIXED: Partial<Record<DayVerdict['verdict'], Remedy>> = {
  balanced: { todo: '', settled: true },
  'nothing due': { todo: '', settled: true },
  'counted twice': { todo: 'Nothing to do: the list was read again.', settled: true },
  'low volume': { todo: LOW_VOLUME },
  quarantined: {
    todo:
      'Read the reasons in the table callsheet.quarantine, and report the records to the ' +
      'service’s support.',
  },
}
const MOST_JOBS = 4
