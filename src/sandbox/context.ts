import type { Clock } from '../core/clock.ts'
import type { Company } from './company.ts'
import type { Door } from './auth.ts'
import type { Faults } from './faults.ts'
import type { Limiter } from './limiter.ts'
import type { Mailroom } from './notices/mailroom.ts'
import type { Credentials, Habits, LabelQuotas } from './options.ts'
import type { PageTokens } from './page-tokens.ts'
import type { Readings } from './readings/readings.ts'
import type { Stats } from './stats.ts'
import type { Switches } from './switches.ts'

/** What all requests of one sandbox share. */
export interface Context {
  seed: number
  /** The sandbox's own clock: the given one, moved on by whatever was asked of the admin endpoint. */
  clock: Clock
  advance(ms: number): void
  apps: readonly Credentials[]
  companies: ReadonlyMap<string, Company>
  habits: Habits
  readings: Readings
  quotas: LabelQuotas
  tokens: PageTokens
  door: Door
  limiter: Limiter
  faults: Faults
  stats: Stats
  switches: Switches
  mailroom: Mailroom
  baseUrl: string
  /** The origin where operations are answered: that of `baseUrl`, unless the API is read to be elsewhere. */
  apiUrl: string
  /** The origin of the files: the API's own, unless they are read to lie elsewhere. */
  fileUrl: string
  saveState(): void
}
