import type { Cause } from '../../core/define/cause.ts'

export type HealthLevel = 'good' | 'amber' | 'red'

/** The worst level of the causes; good without any. */
export function healthOf(causes: readonly Pick<Cause, 'level'>[]): HealthLevel {
  if (causes.some(({ level }) => level === 'red')) return 'red'
  return causes.length > 0 ? 'amber' : 'good'
}
