import { credentialsOf } from '../../src/account/open-account.ts'
import { tokenFrom } from '../../src/api/auth/account-token.ts'
import {
  beginAuthorization,
  codeFrom,
  exchangeCode,
} from '../../src/api/auth/authorization-code.ts'
import type { StoredToken } from '../../src/core/define/ports.ts'
import { decide } from '../cli/browser.ts'
import { type Order, runOrder, withAccount } from './run-order.ts'

/** What a person does once, and `callsheet login` keeps of it. */
export function logIn(order: Order): Promise<StoredToken> {
  return withAccount(order, async ({ settings, endpoint, tokens, deps }) => {
    const redirectUrl = settings.redirectUrl ?? ''
    const authorization = await beginAuthorization(credentialsOf(settings), redirectUrl)
    const back = await decide(authorization.url, 'allow')
    const code = codeFrom(new URL(back.headers.get('location') ?? ''), authorization)
    const granted = await exchangeCode(endpoint, authorization, code)
    const version = (await tokens.read())?.version ?? 0
    return await tokens.save(tokenFrom(granted, deps.clock.now()), version)
  })
}

export function storedIn(order: Order): Promise<StoredToken | undefined> {
  return withAccount(order, ({ tokens }) => tokens.read())
}

/** A sync, how it ended, and what it says is to be done. */
export async function syncTold(order: Order): Promise<{ end: string; todo: string }> {
  const [run] = await runOrder(order)
  const { code, facts } = (run?.error ?? {}) as { code?: string; facts?: { todo?: string } }
  const end = [run?.state, code].filter((part) => part !== undefined).join(' ')
  return { end, todo: facts?.todo ?? '' }
}
