import { answerProbes } from './answers.ts'
import { defaults } from './defaults.ts'
import { goneAnswers } from './deleted-answers.ts'
import { foundReadings } from './found-readings.ts'
import { limitHeaders } from './limits.ts'
import { pageSizes, usualPageSize } from './page-sizes.ts'
import { pageTokens } from './page-tokens.ts'
import { pathIds } from './path-ids.ts'
import type { Probe } from './probe.ts'
import { recordProbes } from './records.ts'
import { tokens } from './tokens.ts'
import { windows } from './windows.ts'
import { words } from './words.ts'

/** All probes; those that look at the answers to others come last. */
export const probes: readonly Probe[] = [
  ...tokens,
  ...pageSizes,
  ...defaults,
  ...windows,
  ...goneAnswers,
  ...pathIds,
  ...recordProbes,
  ...pageTokens,
  usualPageSize,
  limitHeaders,
  ...answerProbes,
  words,
  foundReadings,
]

/** For calls that may be repeated: after a token that expired meanwhile, or a lost answer. */
const SPARE_CALLS = 10

/** The most requests that all probes together send to an account. */
export const MOST_CALLS = probes.reduce((sum, { mostReads }) => sum + mostReads, SPARE_CALLS)
