import { capitalize } from '../../core/values/text.ts'
import type { FoundCause } from './causes.ts'
import type { HealthFacts } from './facts.ts'
import { MANY } from './job-troubles.ts'
import { plainProblem } from './problems.ts'

/**
 * Reports each scheduled report and task whose last `MANY` attempts failed, or that needs a person. Skips a
 * verification with findings, which has a cause of its own.
 */
export function judgeWorks({ works = [] }: HealthFacts): FoundCause[] {
  return works.flatMap(({ name, kind, attempts }): FoundCause[] => {
    const good = attempts.findIndex(({ end }) => end === 'well')
    const failed = good < 0 ? attempts : attempts.slice(0, good)
    const [last] = failed
    if (last === undefined || (last.end === 'failed' && failed.length < MANY)) return []
    if (name === VERIFY && last.end === 'person') return []
    const error = capitalize(plainProblem(last.error))
    const alone = last.end === 'person'
    return [
      {
        code: kind === 'report' ? 'report_failing' : 'task_failing',
        subject: name,
        level: 'red',
        sentence: alone
          ? `The ${kind} ${name} is blocked. ${error}.`
          : `The last ${failed.length} tries of the ${kind} ${name} failed. ${error}.`,
        todo: alone
          ? `Fix this error. \`callsheet serve\` runs the ${kind} again at its next scheduled time.`
          : 'Fix this error. `callsheet serve` tries again within an hour.',
        sinceMs: failed.at(-1)?.endedMs ?? last.endedMs,
      },
    ]
  })
}

const VERIFY = 'verify'
