import type { Cause } from '../../core/define/cause.ts'

/** A cause without its account. */
export type FoundCause = Omit<Cause, 'account'>

/** Sorts causes: red first, then by code, account and subject. */
export function inOrder(causes: readonly Cause[]): Cause[] {
  const key = ({ level, code, account = '', subject }: Cause): string[] => [
    level === 'red' ? '0' : '1',
    code,
    account,
    subject,
  ]
  return causes.toSorted((a, b) => compare(key(a), key(b)))
}

export type HealthLevel = 'green' | 'amber' | 'red'

/** Returns the worst level of the causes; green if there are none. */
export function levelOf(causes: readonly Pick<Cause, 'level'>[]): HealthLevel {
  if (causes.some(({ level }) => level === 'red')) return 'red'
  return causes.length > 0 ? 'amber' : 'green'
}

/** Compares by code units, so that the order is equal on every machine. */
function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, index) => text !== b[index])
  if (at < 0) return 0
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1
}
