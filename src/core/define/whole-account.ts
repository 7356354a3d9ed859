import type { Operation } from './operation.ts'

/** Any one of them allows the call, for the account or for the token's user. */
export function scopesOf({ scopes, granularScopes }: Operation): string[] {
  return [...granularScopes, ...scopes]
}

/**
 * Any one of them lets the call show the whole account. Where some scopes of an operation do, the others
 * show only what the token's user may see (document 1, authentication 9); where none does, all callers are
 * shown the same.
 */
export function wholeAccountScopes(operation: Operation): string[] {
  const all = scopesOf(operation)
  const wide = all.filter(showsAccount)
  return wide.length > 0 ? wide : all
}

/**
 * What was granted that allows the call, but for the token's user alone. Empty where the whole account is
 * shown, and where nothing granted is known to allow it: that is for the service to say.
 */
export function ownViewScopes(operation: Operation, granted: readonly string[]): string[] {
  const enough = wholeAccountScopes(operation)
  if (granted.some((scope) => enough.includes(scope))) return []
  const all = scopesOf(operation)
  return granted.filter((scope) => all.includes(scope))
}

/** The scope is of the account, not of the token's user. */
export function showsAccount(scope: string): boolean {
  return /:(admin|master)$/.test(scope)
}
