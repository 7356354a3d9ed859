import type { Operation } from './operation.ts'

/**
 * The scopes of an operation that show the whole account. An operation without any of them shows the same
 * to every caller; of one that has some, the others show only what the token's user may see (document 1,
 * authentication 9).
 */
export function wholeAccountScopes({ scopes, granularScopes }: Operation): string[] {
  return [...granularScopes, ...scopes].filter(showsAll)
}

/**
 * What was granted that allows the call, but for the token's user alone. Empty where the whole account is
 * shown, and where nothing granted is known to allow it: that is for the service to say.
 */
export function ownViewScopes(operation: Operation, granted: readonly string[]): string[] {
  if (wholeAccountScopes(operation).length === 0) return []
  const all = [...operation.granularScopes, ...operation.scopes]
  const allowing = granted.filter((scope) => all.includes(scope))
  return allowing.some(showsAll) ? [] : allowing
}

function showsAll(scope: string): boolean {
  return /:(admin|master)$/.test(scope)
}
