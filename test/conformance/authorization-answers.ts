import type { Sandbox } from '../../sandbox/server/server.ts'
import { fetchToken } from '../sandbox/caller.ts'

/** What the authorization server answers where no person has to allow anything. */
export async function authorizationAnswers(sandbox: Sandbox): Promise<[string, unknown][]> {
  const [app] = sandbox.credentials
  const basic = Buffer.from(`${app?.clientId}:${app?.clientSecret}`).toString('base64')
  const ask = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Basic ${basic}` }
    const response = await fetch(`${sandbox.authUrl}${path}`, { method: 'POST', headers })
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    return await response.json()
  }
  const token = String((await fetchToken(sandbox)).body.access_token)
  return [
    ['oauth.devicecode', await ask(`/oauth/devicecode?client_id=${app?.clientId}`)],
    ['oauth.token.client_credentials', await ask('/oauth/token?grant_type=client_credentials')],
    ['oauth.revoke', await ask(`/oauth/revoke?token=${encodeURIComponent(token)}`)],
  ]
}
