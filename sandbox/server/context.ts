import type { Clock } from '../../src/core/time/clock.ts'
import type { Authorizer } from '../access/auth.ts'
import type { Mailroom } from '../notices/mailroom.ts'
import type { FaultPlan } from '../protocol/faults.ts'
import type { Limiter } from '../protocol/limiter.ts'
import type { PageTokens } from '../protocol/page-tokens.ts'
import type { Stats } from '../protocol/stats.ts'
import type { Readings } from '../readings/readings.ts'
import type { Credentials, Habits, LabelQuotas, Switches } from '../seed-data/options.ts'
import type { SeedData } from '../seed-data/seed-data.ts'

/** The state that all requests of a sandbox share. */
export interface SandboxContext {
  seed: number
  /** The sandbox's clock: the given one, plus the time by which it was advanced. */
  clock: Clock
  advance(ms: number): void
  apps: readonly Credentials[]
  seedDataByAccount: ReadonlyMap<string, SeedData>
  habits: Habits
  readings: Readings
  quotas: LabelQuotas
  tokens: PageTokens
  authorizer: Authorizer
  limiter: Limiter
  faults: FaultPlan
  stats: Stats
  switches: Switches
  mailroom: Mailroom
  baseUrl: string
  /** The origin of the operations: that of `baseUrl`, unless a reading moves the API. */
  apiUrl: string
  /** The origin of the files: the API's own, unless a reading moves them. */
  fileUrl: string
  saveState(): void
}
