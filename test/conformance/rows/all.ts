import { type Fact, readFacts } from '../fact.ts'
import { ACCESS_RULES } from './access-rules.ts'
import { ENUMERATIONS } from './enumerations.ts'
import { EVENT_RULES } from './event-rules.ts'
import { FIELDS } from './fields.ts'
import { NUMBER_RULES } from './number-rules.ts'
import { OPERATION_FACTS, REFUSAL_FACTS } from './operations.ts'
import { REQUEST_VALUES } from './request-values.ts'
import { SESSION_RULES } from './session-rules.ts'

/** All that the three documents say, and what holds it here. */
export const FACTS: readonly Fact[] = [
  ...OPERATION_FACTS,
  ...REFUSAL_FACTS,
  ...FIELDS,
  ...ENUMERATIONS,
  ...REQUEST_VALUES,
  ...[ACCESS_RULES, SESSION_RULES, NUMBER_RULES, EVENT_RULES].flatMap(readFacts),
]
