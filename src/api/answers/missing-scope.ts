import type { Operation } from '../../core/define/operation.ts'
import { scopesOf, wholeAccountScopes } from '../../core/define/whole-account.ts'
import { MissingScopeError } from '../../core/errors.ts'
import { namedScopes } from './error-body.ts'
import { tried } from './tried.ts'

/** The service refused the call for a scope that the token lacks; `said` is its message. */
export function missingScope(
  operation: Operation,
  { said, came }: { said: string; came: string },
): MissingScopeError {
  const named = namedScopes(said)
  const scopes = named.length > 0 ? named : scopesOf(operation)
  return new MissingScopeError(scopes, {
    tried: tried(operation),
    expected: `a token with ${scopes.length > 0 ? `the scope ${scopes.join(' or ')}` : 'more scopes'}`,
    came,
    todo: ADD_SCOPE,
  })
}

/** The token's scopes allow the call, but show only what its own user may see. */
export function narrowScope(operation: Operation, granted: readonly string[]): MissingScopeError {
  const wide = wholeAccountScopes(operation)
  return new MissingScopeError(wide, {
    tried: tried(operation),
    expected: `a token with the scope ${wide.join(' or ')}, which shows the whole account`,
    came: `the token has ${granted.join(', ')}, which shows only what its own user may see`,
    todo: ADD_SCOPE,
  })
}

/** A token keeps the scopes with which it was granted. */
const ADD_SCOPE =
  'add the scope to the app on its configuration page, end the old token by callsheet logout, then run again'
