import { capitalize } from '../../core/values/text.ts'
import { isElsewhere } from '../../warehouse/ledger/moved.ts'
import type { FoundCause } from './causes.ts'
import type { HealthFacts } from './facts.ts'

/** Reports an account whose rows are in another database. Its work stops until a person has acted. */
export function judgeElsewhere(
  { account, elsewhere }: Pick<HealthFacts, 'account' | 'elsewhere'>,
  nowMs: number,
): FoundCause[] {
  if (elsewhere === undefined) return []
  const { came, todo = '' } = isElsewhere(account, elsewhere).facts
  return [
    {
      code: 'account_elsewhere',
      subject: 'database',
      level: 'red',
      sentence: `No work begins: ${came}.`,
      todo: `${capitalize(todo)}.`,
      sinceMs: nowMs,
    },
  ]
}
